alter table memory_segments add column context_before bytea, add column context_after bytea;
alter table memory_changed_segments add column context_before bytea, add column context_after bytea;
alter table memory_sets add column penalty smallint default 0 not null, add column age_penalty smallint default 0 not null;
