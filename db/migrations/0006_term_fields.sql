alter table terminology_entries
  add column definition text,
  add column note text,
  add column part_of_speech text,
  add column gender text,
  add column status text default 'preferred' not null,
  add column do_not_translate boolean default false not null,
  add column domain text,
  add column picture text;
