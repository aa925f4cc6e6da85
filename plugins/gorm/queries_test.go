package esgorm_test

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
)

// shelve inserts five books.
func shelve(t *testing.T, db *gorm.DB) {
	t.Helper()
	require.NoError(t, db.Create(&[]Book{
		{Title: "Amerika", Pages: 300, Price: 9.5}, {Title: "Beloved", Pages: 324, Price: 12, Rare: true},
		{Title: "Candide", Pages: 129, Price: 5, AuthorID: pointer("v")}, {Title: "Dracula", Pages: 418, Price: 8},
		{Title: "Emma", Pages: 474, Price: 7, Rare: true, AuthorID: pointer("a")},
	}).Error)
}

func titles(t *testing.T, q *gorm.DB) []string {
	t.Helper()
	var list []string
	require.NoError(t, q.Model(&Book{}).Order("title").Pluck("title", &list).Error)
	return list
}

func TestConditionsChooseTheirRows(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		shelve(t, db)
		for what, c := range map[string]struct {
			q    *gorm.DB
			want []string
		}{
			"a struct":             {db.Where(&Book{Rare: true, Pages: 474}), []string{"Emma"}},
			"chosen fields":        {db.Where(&Book{Rare: false, Pages: 129}, "Rare", "Pages"), []string{"Candide"}},
			"a map":                {db.Where(map[string]any{"rare": true, "title": []string{"Emma", "x"}}), []string{"Emma"}},
			"text":                 {db.Where("pages BETWEEN ? AND ? AND title LIKE ?", 300, 420, "%a%"), []string{"Amerika", "Dracula"}},
			"names":                {db.Where("pages > @least AND price < @most", sql.Named("least", 400), sql.Named("most", 8)), []string{"Emma"}},
			"NOT":                  {db.Not("rare = ?", true).Not(map[string]any{"title": []string{"Candide"}}), []string{"Amerika", "Dracula"}},
			"OR":                   {db.Where("pages < ?", 200).Or("price > ?", 10), []string{"Beloved", "Candide"}},
			"groups":               {db.Where(db.Where("rare = ?", true).Or("pages < ?", 200)).Where("price < ?", 6), []string{"Candide"}},
			"IS NULL":              {db.Where("author_id IS NULL AND rare = ?", false), []string{"Amerika", "Dracula"}},
			"a list of keys":       {db.Where("title IN ?", []string{"Emma", "Amerika"}), []string{"Amerika", "Emma"}},
			"an empty list":        {db.Where("title IN ?", []string{}), nil},
			"clauses":              {db.Clauses(clause.Gt{Column: "pages", Value: 450}), []string{"Emma"}},
			"a scope":              {db.Scopes(func(tx *gorm.DB) *gorm.DB { return tx.Where("rare") }), []string{"Beloved", "Emma"}},
			"a quote, a backslash": {db.Where("title <> ?", `it's \`+"x"), []string{"Amerika", "Beloved", "Candide", "Dracula", "Emma"}},
		} {
			assert.ElementsMatch(t, c.want, titles(t, c.q), what)
		}
	})
}

func TestColumnsAreChosenGroupedAndCounted(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		shelve(t, db)
		var small []struct{ Title string }
		require.NoError(t, db.Model(&Book{}).Where("pages > 400").Find(&small).Error)
		assert.Len(t, small, 2)
		var some []Book
		require.NoError(t, db.Select("title", "price").Order("price desc").Limit(1).Find(&some).Error)
		require.Len(t, some, 1)
		assert.Equal(t, "Beloved", some[0].Title)
		assert.Zero(t, some[0].Pages)
		require.NoError(t, db.Omit("title").Find(&some).Error)
		assert.Empty(t, some[0].Title)

		var groups []struct {
			Rare  bool
			N     int
			Total float64
		}
		require.NoError(t, db.Model(&Book{}).Select("rare, count(*) AS n, sum(price) AS total").Group("rare").
			Having("count(*) > ?", 1).Order("rare").Scan(&groups).Error)
		require.Len(t, groups, 2)
		assert.Equal(t, 3, groups[0].N)
		assert.InDelta(t, 19, groups[1].Total, 0)
		var n int64
		require.NoError(t, db.Model(&Book{}).Distinct("rare").Count(&n).Error)
		assert.EqualValues(t, 2, n)
	})
}

func TestRowsAreReadOneByOne(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		shelve(t, db)
		rows, err := db.Model(&Book{}).Where("rare = ?", true).Order("title").Rows()
		require.NoError(t, err)
		defer rows.Close()
		var got []string
		for rows.Next() {
			var b Book
			require.NoError(t, db.ScanRows(rows, &b))
			got = append(got, b.Title)
		}
		require.NoError(t, rows.Err())
		assert.Equal(t, []string{"Beloved", "Emma"}, got)

		var most int
		require.NoError(t, db.Raw("SELECT max(pages) AS most FROM books WHERE title < ?", "E").Row().Scan(&most))
		assert.Equal(t, 418, most)
		changed := db.Exec("UPDATE books SET price = ? WHERE title = ?", 1.5, "Emma")
		require.NoError(t, changed.Error)
		assert.EqualValues(t, 1, changed.RowsAffected)
		assert.Contains(t, db.ToSQL(func(tx *gorm.DB) *gorm.DB { return tx.Where("title = ?", "x").Find(&[]Book{}) }), `"title = 'x'`[1:])
	})
}

func TestUpdatesTakeWhatTheyAreTold(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		shelve(t, db)
		var emma Book
		require.NoError(t, db.Where("title = ?", "Emma").Take(&emma).Error)
		before := emma.UpdatedAt
		require.NoError(t, db.Model(&emma).Select("Rare", "Price").Updates(Book{Title: "no", Price: 3}).Error)
		require.NoError(t, db.Model(&emma).Omit("Pages").Updates(map[string]any{"pages": 1, "author_id": nil}).Error)
		require.NoError(t, db.Model(&emma).UpdateColumn("title", "Emma 2").Error)
		require.NoError(t, db.Model(&emma).Updates(struct {
			Title string
			Price float64
		}{Price: 3}).Error, "a part of a book, and its zeros are not written")
		var after Book
		require.NoError(t, db.Take(&after, emma.ID).Error)
		assert.Equal(t, "Emma 2", after.Title)
		assert.False(t, after.Rare)
		assert.InDelta(t, 3, after.Price, 0)
		assert.EqualValues(t, 474, after.Pages)
		assert.Nil(t, after.AuthorID)
		assert.False(t, after.UpdatedAt.Before(before))

		require.ErrorContains(t, db.Model(&emma).Update("id", 7).Error, "primary key")
	})
}

func TestChangesOfEveryRowNeedAllowGlobalUpdate(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		require.NoError(t, db.Create(&[]Loan{{Reader: "Ann"}, {Reader: "Bea"}}).Error)
		require.ErrorIs(t, db.Delete(&Loan{}).Error, gorm.ErrMissingWhereClause)
		require.ErrorIs(t, db.Exec("DELETE FROM loans").Error, esdriver.ErrUnsupported)
		all := db.Session(&gorm.Session{AllowGlobalUpdate: true})
		assert.EqualValues(t, 2, all.Model(&Loan{}).Update("reader", "Cid").RowsAffected)
		assert.EqualValues(t, 2, all.Delete(&Loan{}).RowsAffected)
		assert.Empty(t, fake.Docs("loans"))
	})
}

func TestWhatServersRefuseIsToldByName(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		shelve(t, db)
		cheap := db.Model(&Book{}).Select("avg(price)")
		byTitle := clause.OnConflict{Columns: []clause.Column{{Name: "title"}}, DoNothing: true}
		for what, err := range map[string]error{
			"a sub-query":     db.Model(&Book{}).Where("title = ?", "Emma").Update("price", cheap).Error,
			"a sub-query ":    db.Where("price > (?)", cheap).Delete(&Book{}).Error,
			"ON CONFLICT":     db.Clauses(byTitle).Create(&Book{Title: "Emma"}).Error,
			"RETURNING":       db.Model(&[]Book{}).Clauses(clause.Returning{}).Where("rare").Update("pages", 1).Error,
			"WITH":            db.Exec("WITH x AS (SELECT 1) DELETE FROM books").Error,
			"INSERT … SELECT": db.Exec("INSERT INTO books (title) SELECT name FROM tags").Error,
		} {
			require.ErrorIs(t, err, esdriver.ErrUnsupported, what)
			assert.Contains(t, err.Error(), strings.TrimSpace(what))
		}
		if strings.HasPrefix(fake.DSN(), "elasticsearch") {
			require.ErrorContains(t, db.Joins("Author").Find(&[]Book{}).Error, "JOIN")
			require.ErrorContains(t, db.Distinct("rare").Find(&[]Book{}).Error, "DISTINCT")
		}
	})
}
