package esgorm_test

import (
	"errors"
	"fmt"
	"log"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"

	"github.com/esdriver/esdriver"
	"github.com/esdriver/esdriver/fakecluster"
	"github.com/esdriver/esdriver/fakecluster/sqlite"
	esgorm "github.com/esdriver/esdriver/plugins/gorm"
)

// Plant is the model of the examples. Its key is the program's.
type Plant struct {
	ID     string
	Name   string
	Height int
}

// garden opens a cluster inside the process, with a table of plants.
func garden() (db *gorm.DB, end func()) {
	fake, err := fakecluster.Start(fakecluster.Nodes(3), fakecluster.SQL(sqlite.New()))
	if err != nil {
		log.Fatal(err)
	}
	db, err = gorm.Open(esgorm.Open(fake.DSN()+"?refresh=true"), &gorm.Config{TranslateError: true})
	if err != nil {
		log.Fatal(err)
	}
	if err := db.AutoMigrate(&Plant{}); err != nil {
		log.Fatal(err)
	}
	return db, func() {
		if pool, err := db.DB(); err == nil {
			pool.Close()
		}
		fake.Close()
	}
}

func ExampleOpen() {
	fake, err := fakecluster.Start(fakecluster.Nodes(3), fakecluster.SQL(sqlite.New())) // or a cluster of yours
	if err != nil {
		log.Fatal(err)
	}
	defer fake.Close()
	db, err := gorm.Open(esgorm.Open(fake.DSN()+"?refresh=true"), &gorm.Config{})
	if err != nil {
		log.Fatal(err)
	}
	if pool, err := db.DB(); err == nil {
		defer pool.Close()
	}
	if err := db.AutoMigrate(&Plant{}); err != nil {
		log.Fatal(err)
	}
	db.Create(&[]Plant{{ID: "oak", Name: "Oak", Height: 30}, {ID: "fern", Name: "Fern", Height: 1}})
	fake.Node(0).Kill()
	var tall []Plant
	err = db.Where("height > ?", 5).Find(&tall).Error
	fmt.Println(tall, err)
	// Output: [{oak Oak 30}] <nil>
}

// The primary key is what an index keeps unique, so it is what a row can be in conflict with.
func Example_onConflict() {
	db, end := garden()
	defer end()
	db.Create(&Plant{ID: "oak", Name: "Oak", Height: 30})
	err := db.Session(&gorm.Session{Logger: db.Logger.LogMode(logger.Silent)}).Create(&Plant{ID: "oak"}).Error
	fmt.Println(errors.Is(err, gorm.ErrDuplicatedKey))

	db.Clauses(clause.OnConflict{DoNothing: true}).Create(&Plant{ID: "oak", Name: "Other"})
	grown := clause.OnConflict{Columns: []clause.Column{{Name: "id"}}, DoUpdates: clause.AssignmentColumns([]string{"height"})}
	db.Clauses(grown).Create(&[]Plant{{ID: "oak", Height: 31}, {ID: "fern", Name: "Fern", Height: 1}})
	var plants []Plant
	db.Order("id").Find(&plants)
	fmt.Println(plants)
	// Output:
	// true
	// [{fern Fern 1} {oak Oak 31}]
}

// What another database has and a search engine has not is an error that names it.
func Example_unsupported() {
	db, end := garden()
	defer end()
	quiet := db.Session(&gorm.Session{Logger: db.Logger.LogMode(logger.Silent)})
	fmt.Println(quiet.Clauses(clause.Locking{Strength: "UPDATE"}).First(&Plant{}).Error)
	fmt.Println(quiet.Where("height > ?", 1).Limit(1).Delete(&Plant{}).Error)
	fmt.Println(errors.Is(db.Migrator().DropColumn(&Plant{}, "Height"), esdriver.ErrUnsupported))
	// Output:
	// esgorm: sqlapi: a lock (FOR UPDATE) is not supported: compare a version column in WHERE instead
	// sqlparse: line 1, column 39: DELETE … LIMIT is not supported
	// true
}
