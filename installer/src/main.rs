//! (being built)
#[cfg(test)]
mod manual;

fn main() {}
