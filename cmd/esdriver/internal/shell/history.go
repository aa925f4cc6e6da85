package shell

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/peterh/liner"
)

// historyFile is where statements are kept, for their owner alone.
func historyFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "esdriver", "history"), nil
}

// recall reads the history. There is none at first, and one that cannot be read is no reason to refuse work.
func recall(term *liner.State) {
	name, err := historyFile()
	if err != nil {
		return
	}
	file, err := os.Open(name)
	if err != nil {
		return
	}
	defer file.Close()
	if _, err := term.ReadHistory(file); err != nil {
		term.ClearHistory()
	}
}

// remember writes the history.
func remember(term *liner.State) error {
	name, err := historyFile()
	if err != nil {
		return nil // without a home there is no history
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return fmt.Errorf("shell: history: %w", err)
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("shell: history: %w", err)
	}
	_, err = term.WriteHistory(file)
	return errors.Join(err, file.Chmod(0o600), file.Close()) // it may have been there with another mode
}
