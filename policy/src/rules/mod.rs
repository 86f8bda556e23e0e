//! The rules, in the order they are asked.
