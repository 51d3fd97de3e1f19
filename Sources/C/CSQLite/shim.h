// Declarations that Swift cannot import from SQLite: a destructor that is a number, and constants that are expressions.
#ifndef RECORDER_CSQLITE_SHIM_H
#define RECORDER_CSQLITE_SHIM_H
#include <sqlite3.h>

// Binds a text to a parameter; SQLite copies the text.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
    return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

#endif
