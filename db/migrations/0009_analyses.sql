create table analyses (
  tenant_id text collate "C" not null,
  analysis_id text collate "C" not null,
  source_lang text not null,
  target_langs jsonb not null,
  options jsonb default '{}'::jsonb not null,
  created_by text collate "C",
  started_by jsonb,
  started_at timestamp (3) with time zone,
  canceled_at timestamp (3) with time zone,
  created_at timestamp (3) with time zone default now() not null,
  updated_at timestamp (3) with time zone default now() not null,
  expires_at timestamp (3) with time zone not null,
  worked_until timestamp (3) with time zone,
  constraint analyses_tenant_id_analysis_id_pk primary key(tenant_id,analysis_id)
);
--> statement-breakpoint
create table analysis_files (
  tenant_id text collate "C" not null,
  file_id text collate "C" not null,
  analysis_id text collate "C" not null,
  position smallint not null,
  file_name text not null,
  format text,
  size_bytes integer not null,
  sha256 text not null,
  is_stored boolean not null,
  address text,
  state text not null,
  refusal text,
  attempts smallint default 0 not null,
  source_lang text,
  image_pages integer default 0 not null,
  text_keys bytea,
  results jsonb default '{}'::jsonb not null,
  starts jsonb default '{}'::jsonb not null,
  constraint analysis_files_tenant_id_file_id_pk primary key(tenant_id,file_id)
);
--> statement-breakpoint
alter table analyses add constraint analyses_tenant_id_tenants_tenant_id_fk foreign key (tenant_id) references tenants(tenant_id) on delete cascade;
alter table analysis_files add constraint analysis_files_analysis_fk foreign key (tenant_id,analysis_id) references analyses(tenant_id,analysis_id) on delete cascade;
create index analyses_created_at_idx on analyses using btree (tenant_id,created_at,analysis_id);
create index analyses_expires_at_idx on analyses using btree (expires_at);
create unique index analysis_files_position_key on analysis_files using btree (tenant_id,analysis_id,position);
create unique index analysis_files_content_key on analysis_files using btree (tenant_id,analysis_id,sha256,file_name);
create index analysis_files_waiting_idx on analysis_files using btree (tenant_id,analysis_id) where state = 'waiting';
--> statement-breakpoint
select protect_tenant_table('analyses');
select protect_tenant_table('analysis_files');
--> statement-breakpoint
-- The stored files count like those of documents.
create trigger count_inserted after insert on analysis_files
  for each row when (new.is_stored and new.address is null) execute function count_artifact();
create trigger count_deleted after delete on analysis_files
  for each row when (old.is_stored and old.address is null) execute function count_artifact();
