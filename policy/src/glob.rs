//! Path globs: anchored, `*` and `?` never cross `/`, `**` does.
