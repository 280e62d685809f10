-- The committed state that a gate judged; null for a word that nobody's gate gave.
alter table verdict add column judged_commit text;
alter table verdict add column judged_tree text;
