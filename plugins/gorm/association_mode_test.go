package esgorm_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/esdriver/esdriver/fakecluster"
)

func TestBelongsToAssociationModeWorks(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		books := []Book{{Title: "one", Author: &Author{ID: "a"}}, {Title: "two"}}
		require.NoError(t, db.Create(&books).Error)
		author := func(of any) *gorm.Association { return db.Model(of).Association("Author") }
		assert.EqualValues(t, 1, author(&books).Count())
		require.NoError(t, author(&books[1]).Append(&Author{ID: "b"}))
		require.NoError(t, author(&books).Replace(&Author{ID: "c"}, &Author{ID: "d"}), "one for each")
		assert.EqualValues(t, 2, author(&books).Count())
		var found Author
		require.NoError(t, author(&books[1]).Find(&found))
		assert.Equal(t, "d", found.ID)
		require.NoError(t, author(&books[0]).Delete(&Author{ID: "d"}), "it is not this book's")
		require.NoError(t, author(&books[1]).Delete(&Author{ID: "d"}))
		assert.EqualValues(t, 1, author(&books).Count())
		require.NoError(t, author(&books[0]).Unscoped().Replace(&Author{ID: "e"}))
		assert.Len(t, fake.Docs("authors"), 4, "c is deleted")
		require.NoError(t, author(&books).Clear())
		assert.Zero(t, author(&books).Count())
	})
}

func TestHasOneAndPolymorphicAssociationModesWork(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		require.NoError(t, db.AutoMigrate(&Member{}, &Card{}, &Note{}))
		members := []Member{{Card: Card{Number: 1}, Notes: []Note{{Text: "a"}}, Joined: time.Unix(1, 0)}, {Joined: time.Unix(1, 0)}}
		require.NoError(t, db.Create(&members).Error)
		of := func(m any, name string) *gorm.Association { return db.Model(m).Association(name) }
		require.NoError(t, of(&members[0], "Card").Replace(&Card{Number: 2}))
		require.NoError(t, of(&members, "Card").Append(&Card{Number: 3}, &Card{Number: 4}))
		assert.EqualValues(t, 2, of(&members, "Card").Count())
		var card Card
		require.NoError(t, of(&members[1], "Card").Find(&card))
		assert.Equal(t, 4, card.Number)
		require.NoError(t, of(&members[1], "Card").Clear())
		assert.Zero(t, of(&members[1], "Card").Count())

		require.NoError(t, of(&members, "Notes").Append(&Note{Text: "b"}, &Note{Text: "c"}), "one for each")
		require.NoError(t, of(&members[0], "Notes").Replace([]Note{{Text: "d"}, {Text: "e"}}))
		var notes []Note
		require.NoError(t, db.Model(&members[0]).Where("id <> ?", "").Association("Notes").Find(&notes))
		assert.Len(t, notes, 2)
		assert.Equal(t, "members", notes[0].OwnerType)
		require.NoError(t, of(&members[0], "Notes").Unscoped().Delete(&notes[0]))
		assert.EqualValues(t, 2, of(&members, "Notes").Count())
		assert.Len(t, fake.Docs("notes"), 4, "a and b belong to nobody")
	})
}

// Person has a boss, and friends, of the same table.
type Person struct {
	ID      string
	BossID  *string
	Reports []Person  `gorm:"foreignKey:BossID"`
	Friends []*Person `gorm:"many2many:friends"`
}

func TestAssociationsWithinOneTableWork(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		require.NoError(t, db.AutoMigrate(&Person{}))
		boss := Person{ID: "boss", Reports: []Person{{ID: "ann"}, {ID: "bea"}}, Friends: []*Person{{ID: "cid"}}}
		boss.Friends = append(boss.Friends, boss.Friends[0]) // twice
		require.NoError(t, db.Create(&boss).Error)
		assert.Len(t, fake.Docs("friends"), 1)
		ring := &Author{ID: "a"}
		ring.Books = []Book{{Title: "of itself", Author: ring}}
		require.NoError(t, db.Create(ring).Error)
		assert.Len(t, fake.Docs("authors"), 1)
		reports := func() *gorm.Association { return db.Model(&boss).Association("Reports") }
		require.NoError(t, reports().Append(&Person{ID: "dan"}))
		require.NoError(t, reports().Delete(&Person{ID: "ann"}))
		assert.EqualValues(t, 2, reports().Count())
		require.NoError(t, reports().Append(&boss), "a boss of oneself")
		assert.EqualValues(t, 3, reports().Count())
		require.NoError(t, db.Model(&boss).Association("Friends").Append(map[string]any{"id": "eve"}))
		people := []Person{{ID: "ann"}, {ID: "bea"}}
		require.NoError(t, db.Model(&people).Association("Friends").Append(&Person{ID: "cid"}, &Person{ID: "dan"}))
		require.NoError(t, db.Preload("Friends").Preload("Reports.Friends").Find(&people, []string{"ann", "boss"}).Error)
		require.Len(t, people, 2)
		friends := map[string]int{people[0].ID: len(people[0].Friends), people[1].ID: len(people[1].Friends)}
		assert.Equal(t, map[string]int{"ann": 1, "boss": 2}, friends)
	})
}

func TestWrongAssociationsAreErrors(t *testing.T) {
	onEachServer(t, func(t *testing.T, _ *fakecluster.Cluster, db *gorm.DB) {
		type strictLoan struct {
			ID     uint
			BookID uint `gorm:"not null"`
		}
		type strictBook struct {
			ID    uint
			Loans []strictLoan `gorm:"foreignKey:BookID"`
		}
		require.NoError(t, db.AutoMigrate(&strictBook{}, &strictLoan{}))
		book := strictBook{Loans: []strictLoan{{}}}
		require.NoError(t, db.Create(&book).Error)
		require.ErrorContains(t, db.Model(&book).Association("Loans").Clear(), "book_id")
		require.ErrorContains(t, db.Model(&book).Association("Nothing").Error, "Nothing")
		require.ErrorIs(t, db.Model(&Book{}).Association("Loans").Append(&Loan{}), gorm.ErrMissingWhereClause)
		require.ErrorContains(t, db.Preload("Nothing").Find(&[]Book{}).Error, "Nothing")
	})
}

func TestAssociationsAreLeftOutTakenAlongAndSavedWhole(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		book := Book{Title: "a", Author: &Author{ID: "a", Name: "one"}, Loans: []Loan{{Reader: "Ann"}}, Tags: []Tag{{Name: "x"}}}
		require.NoError(t, db.Omit(clause.Associations).Create(&book).Error)
		assert.Empty(t, fake.Docs("loans"))
		require.NoError(t, db.Omit("Tags.*", "Loans").Save(&book).Error)
		assert.Len(t, fake.Docs("book_tags"), 1)
		assert.Empty(t, fake.Docs("tags"), "the pair is written, the tag is not")
		require.NoError(t, db.Select("Title", "Loans").
			Create(&Book{Title: "b", Author: &Author{}, Loans: []Loan{{Reader: "Bea"}}}).Error)
		assert.Len(t, fake.Docs("authors"), 1)
		assert.Len(t, fake.Docs("loans"), 1)

		book.Author.Name, book.Loans[0].Reader = "two", "Cid"
		require.NoError(t, db.Save(&book).Error)
		assert.Equal(t, "one", authorName(t, db, "a"), "Save leaves what is there")
		require.NoError(t, db.Session(&gorm.Session{FullSaveAssociations: true}).Updates(&book).Error)
		assert.Equal(t, "two", authorName(t, db, "a"))

		require.NoError(t, db.Select("Loans", "Tags").Delete(&book).Error)
		assert.Len(t, fake.Docs("loans"), 1, "of the other book")
		assert.Empty(t, fake.Docs("book_tags"))
		assert.Len(t, fake.Docs("authors"), 1)
	})
}

// BookTag is a join table of the program's own, from which nothing is really deleted.
type BookTag struct {
	BookID  uint   `gorm:"primaryKey"`
	TagName string `gorm:"primaryKey"`
	By      string `gorm:"default:clerk"`
	Gone    gorm.DeletedAt
}

func TestJoinTableMayBeTheProgramsOwn(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		require.NoError(t, db.Migrator().DropTable("book_tags"))
		require.NoError(t, db.SetupJoinTable(&Book{}, "Tags", &BookTag{}))
		require.NoError(t, db.AutoMigrate(&BookTag{}))
		book := Book{Title: "a", Tags: []Tag{{Name: "x"}, {Name: "y"}}}
		require.NoError(t, db.Create(&book).Error)
		require.NoError(t, db.Model(&book).Association("Tags").Delete(&Tag{Name: "x"}))
		var found Book
		require.NoError(t, db.Preload("Tags").Take(&found, book.ID).Error)
		assert.Equal(t, []Tag{{Name: "y"}}, found.Tags)
		assert.Len(t, fake.Docs("book_tags"), 2)
		var pair BookTag
		require.NoError(t, db.Unscoped().Take(&pair, "tag_name = ?", "x").Error)
		assert.True(t, pair.Gone.Valid)
		assert.Equal(t, "clerk", pair.By)
	})
}

func TestManyMayAppendAtOnce(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		book := Book{Title: "a"}
		require.NoError(t, db.Create(&book).Error)
		var work sync.WaitGroup
		for i := range 8 {
			work.Go(func() {
				same := Book{Model: gorm.Model{ID: book.ID}}
				assert.NoError(t, db.Model(&same).Association("Tags").Append(&Tag{Name: "all"}, &Tag{Name: fmt.Sprint(i)}))
			})
		}
		work.Wait()
		assert.Len(t, fake.Docs("tags"), 9)
		assert.Len(t, fake.Docs("book_tags"), 9)
	})
}

// Edition has two keys, of which the driver makes one.
type Edition struct {
	ID       uint   `gorm:"primaryKey"`
	Lang     string `gorm:"primaryKey"`
	Title    string
	Printers []Printer `gorm:"many2many:edition_printers"`
}

// Printer has two such keys as well.
type Printer struct {
	ID   uint   `gorm:"primaryKey"`
	Town string `gorm:"primaryKey"`
}

func TestOneOfSeveralKeysMayBeMade(t *testing.T) {
	onEachServer(t, func(t *testing.T, fake *fakecluster.Cluster, db *gorm.DB) {
		require.NoError(t, db.AutoMigrate(&Edition{}, &Printer{}))
		editions := []Edition{{Lang: "de"}, {ID: 5, Lang: "de"}, {Lang: "en", Printers: []Printer{{Town: "Ghent"}, {Town: "Bath"}}}}
		require.NoError(t, db.Create(&editions).Error)
		require.NotZero(t, editions[0].ID)
		assert.EqualValues(t, 5, editions[1].ID)
		third := &editions[2]
		require.NoError(t, db.Save(third).Error)
		require.NoError(t, db.Clauses(clause.OnConflict{UpdateAll: true}).
			Create(&Edition{ID: third.ID, Lang: "en", Title: "new"}).Error)
		assert.Len(t, fake.Docs("editions"), 3)

		require.NoError(t, db.Model(third).Association("Printers").Append(&Printer{Town: "Bruges"}))
		require.NoError(t, db.Model(third).Association("Printers").Delete(&Printer{ID: third.Printers[0].ID, Town: "Ghent"}))
		var found Edition
		require.NoError(t, db.Preload("Printers").Take(&found, "id = ? AND lang = ?", third.ID, "en").Error)
		assert.Equal(t, "new", found.Title)
		assert.Len(t, found.Printers, 2)
		assert.Len(t, fake.Docs("printers"), 3)

		require.NoError(t, db.Model(&Edition{}).Create(&[]map[string]any{{"lang": "fr"}, {"lang": "fr"}}).Error)
		err := db.Model(&Edition{}).Create(map[string]any{"id": 7}).Error
		require.ErrorIs(t, err, gorm.ErrPrimaryKeyRequired)
		assert.Contains(t, err.Error(), "lang")
		assert.Len(t, fake.Docs("editions"), 5)
	})
}
