//! The programs seen from outside.
