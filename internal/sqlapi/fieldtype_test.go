package sqlapi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/esdriver/esdriver/internal/sqlapi"
)

func TestFieldTypeIsWhatCreateTableMakes(t *testing.T) {
	for definition, want := range map[string]string{
		"VARCHAR(20) NOT NULL": "keyword", "varchar(9000)": "text", "TIMESTAMP(9)": "date_nanos", "timestamp DEFAULT now()": "date",
		"INT AUTO_INCREMENT": "long", "INT": "integer", "SERIAL": "long", "SCALED_FLOAT(100)": "scaled_float",
	} {
		got, err := sqlapi.FieldType(definition)
		require.NoError(t, err, definition)
		assert.Equal(t, want, got, definition)
	}
	for _, definition := range []string{"", "GEOMETRY", "INT, d INT"} {
		_, err := sqlapi.FieldType(definition)
		assert.Error(t, err, definition)
	}
}
