-- The schema of the last version 0, whose databases have it already. What Drizzle cannot express (checks, triggers, views, storage,
-- autovacuum, policies) is only in the migrations.

-- Returns a whole number of 0 or more from a tenant's metadata, and 0 for anything else: operators write metadata by hand.
create function metadata_count(metadata jsonb, key text) returns bigint language sql immutable parallel safe
return case jsonb_typeof(metadata -> key)
  when 'number' then least(greatest(trunc((metadata -> key)::numeric), 0), 9007199254740991)::bigint else 0 end;
--> statement-breakpoint
-- Ids must not look like the scope of the platform, '*', nor be empty.
create table tenants (
  tenant_id text collate "C" not null,
  name text not null,
  api_key_prefix text not null,
  monthly_char_limit integer not null,
  active boolean default true not null,
  metadata jsonb default '{}'::jsonb not null,
  created_at timestamp(3) with time zone default now() not null,
  failed_runs_until timestamp(3) with time zone,
  organization text generated always as ((metadata ->> 'oidc_org_id')) stored,
  allowance_window text collate "C" generated always as ("left"(coalesce((metadata ->> 'pay_allowance_from'), ''), 64)) stored,
  topup_balance bigint generated always as ((metadata_count(metadata, 'topup_chars_purchased') - metadata_count(metadata, 'topup_chars_used'))) stored,
  constraint tenants_pkey primary key (tenant_id),
  constraint tenants_tenant_id_form check ((tenant_id ~ '^[a-z0-9_-]{1,64}$'))
);
create index tenants_organization_idx on tenants using hash (organization) where (organization is not null);
create index tenants_created_at_idx on tenants using btree (created_at, tenant_id);
--> statement-breakpoint
create table users (
  tenant_id text collate "C" not null,
  user_id text collate "C" not null,
  email text not null,
  provider text not null,
  role text not null,
  password_hash text,
  provider_subject text,
  active boolean default true not null,
  created_at timestamp(3) with time zone default now() not null,
  totp_secret bytea,
  totp_pending_secret bytea,
  totp_last_step integer,
  mfa_failed_at timestamp(3) with time zone[] default '{}'::timestamp with time zone[] not null,
  unproved_family text collate "C",
  email_confirmed_at timestamp(3) with time zone,
  constraint users_tenant_id_user_id_pk primary key (tenant_id, user_id),
  constraint users_tenant_id_email_key unique (tenant_id, email),
  constraint users_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
);
create index users_user_id_idx on users using btree (user_id);
create index users_password_accounts_idx on users using btree (email, created_at) where ((provider = 'email') and active);
create index users_provider_subject_idx on users using btree (provider_subject) where (provider_subject is not null);
alter table users add constraint users_tenant_id_provider_subject_key unique (tenant_id, provider_subject);
create index users_confirmed_accounts_idx on users using btree (email, created_at) where ((provider = 'email') and active and (email_confirmed_at is not null));
--> statement-breakpoint
-- By default PostgreSQL vacuums a table when a fifth of it is dead, and analyzes it when a tenth has changed. That is too late for
-- large tables whose rows change often: a backup's snapshot keeps dead rows visible to every scan until they are vacuumed.
create table tokens (
  tenant_id text collate "C" not null,
  token_hash bytea not null,
  kind text not null,
  user_id text collate "C" not null,
  scope text not null,
  role text not null,
  family_id text collate "C" default (gen_random_uuid())::text not null,
  family_began_at timestamp(3) with time zone default now() not null,
  second_factor boolean default false not null,
  consumed_at timestamp(3) with time zone,
  issued_at timestamp(3) with time zone default now() not null,
  expires_at timestamp(3) with time zone not null,
  retry_key_hash bytea,
  issued_for bytea,
  factor_at_sign_in boolean default false not null,
  proved_at timestamp(3) with time zone,
  agent text,
  network text,
  constraint tokens_tenant_id_token_hash_pk primary key (tenant_id, token_hash),
  constraint tokens_tenant_id_user_id_users_tenant_id_user_id_fk
    foreign key (tenant_id, user_id) references users(tenant_id, user_id) on delete cascade
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
create index tokens_expires_at_idx on tokens using btree (expires_at);
create index tokens_tenant_id_user_id_idx on tokens using btree (tenant_id, user_id, family_id);
--> statement-breakpoint
create table credential_directory (
  credential_hash bytea not null,
  kind text not null,
  tenant_id text collate "C" not null,
  expires_at timestamp(3) with time zone,
  key_id text collate "C",
  scope text,
  replaced boolean default false not null,
  constraint credential_directory_pkey primary key (credential_hash)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
create index credential_directory_tenant_id_idx on credential_directory using btree (tenant_id);
create index credential_directory_expires_at_idx on credential_directory using btree (expires_at);
--> statement-breakpoint
create table mfa_challenges (
  tenant_id text collate "C" not null,
  challenge_hash bytea not null,
  user_id text collate "C" not null,
  method text not null,
  scope text not null,
  codes_submitted integer default 0 not null,
  expires_at timestamp(3) with time zone not null,
  constraint mfa_challenges_tenant_id_challenge_hash_pk primary key (tenant_id, challenge_hash),
  constraint mfa_challenges_tenant_id_user_id_users_tenant_id_user_id_fk
    foreign key (tenant_id, user_id) references users(tenant_id, user_id) on delete cascade
);
create index mfa_challenges_tenant_id_user_id_idx on mfa_challenges using btree (tenant_id, user_id);
create index mfa_challenges_expires_at_idx on mfa_challenges using btree (expires_at);
--> statement-breakpoint
create table recovery_codes (
  tenant_id text collate "C" not null,
  user_id text collate "C" not null,
  code_hash bytea not null,
  key_id text,
  constraint recovery_codes_tenant_id_user_id_code_hash_pk primary key (tenant_id, user_id, code_hash),
  constraint recovery_codes_tenant_id_user_id_users_tenant_id_user_id_fk
    foreign key (tenant_id, user_id) references users(tenant_id, user_id) on delete cascade
);
--> statement-breakpoint
create table reset_links (
  tenant_id text collate "C" not null,
  user_id text collate "C" not null,
  link_hash bytea not null,
  expires_at timestamp(3) with time zone not null,
  constraint reset_links_tenant_id_user_id_pk primary key (tenant_id, user_id),
  constraint reset_links_tenant_id_user_id_users_tenant_id_user_id_fk
    foreign key (tenant_id, user_id) references users(tenant_id, user_id) on delete cascade
);
create index reset_links_expires_at_idx on reset_links using btree (expires_at);
--> statement-breakpoint
create table invites (
  tenant_id text collate "C" not null,
  invite_id text collate "C" not null,
  secret_hash bytea not null,
  email text,
  role text not null,
  created_by text not null,
  by_operator boolean default false not null,
  created_at timestamp(3) with time zone default now() not null,
  expires_at timestamp(3) with time zone not null,
  redeemed_at timestamp(3) with time zone,
  redeemed_by text,
  withdrawn_at timestamp(3) with time zone,
  constraint invites_tenant_id_invite_id_pk primary key (tenant_id, invite_id),
  constraint invites_tenant_id_secret_hash_key unique (tenant_id, secret_hash),
  constraint invites_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
);
create index invites_tenant_id_created_at_idx on invites using btree (tenant_id, created_at, invite_id);
create index invites_open_idx on invites using btree (tenant_id, expires_at) where ((redeemed_at is null) and (withdrawn_at is null));
--> statement-breakpoint
create table sso_states (
  state_hash bytea not null,
  sealed bytea not null,
  expires_at timestamp(3) with time zone not null,
  constraint sso_states_pkey primary key (state_hash)
);
create index sso_states_expires_at_idx on sso_states using btree (expires_at);
--> statement-breakpoint
create unlogged table rate_windows (
  bucket text collate "C" not null,
  subject text collate "C" not null,
  attempts integer not null,
  ends_at timestamp(3) with time zone not null,
  constraint rate_windows_bucket_subject_pk primary key (bucket, subject)
);
create index rate_windows_ends_at_idx on rate_windows using btree (ends_at);
--> statement-breakpoint
create table audit_log (
  tenant_id text collate "C" not null,
  event_id text collate "C" not null,
  recorded_at timestamp(3) with time zone default now() not null,
  action text not null,
  actor_kind text not null,
  actor_id text,
  target text,
  address text,
  request_id text,
  details jsonb default '{}'::jsonb not null,
  constraint audit_log_tenant_id_event_id_pk primary key (tenant_id, event_id)
);
create index audit_log_tenant_id_recorded_at_idx on audit_log using btree (tenant_id, recorded_at, event_id);
create index audit_log_recorded_at_idx on audit_log using btree (recorded_at, event_id);
--> statement-breakpoint
create table translation_jobs (
  tenant_id text collate "C" not null,
  job_id text collate "C" not null,
  status text not null,
  attempt integer default 1 not null,
  idempotency_key text,
  reserved_chars bigint default 0 not null,
  reserved_rest_chars bigint default 0 not null,
  request jsonb not null,
  baseline_translation text,
  final_translation text,
  quality_assessment jsonb,
  refinement jsonb,
  verification jsonb,
  agent_run jsonb not null,
  pipeline_metadata jsonb,
  pipeline_candidate text,
  publish_as text,
  golden_uri text,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone default now() not null,
  reserved_rest_jobs integer default 0 not null,
  request_fingerprint bytea,
  warnings jsonb,
  decided_at timestamp(3) with time zone,
  decided_by text collate "C",
  replaced_text text,
  packed_run text,
  queued boolean default false not null,
  findings jsonb,
  constraint translation_jobs_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.02);
create index translation_jobs_unpersisted_idx on translation_jobs using btree (updated_at) where (status = any (array['approved', 'persistence_failed']));
create unique index translation_jobs_tenant_id_idempotency_key_key on translation_jobs using btree (tenant_id, idempotency_key) where (idempotency_key is not null);
create index translation_jobs_pending_idx on translation_jobs using btree (tenant_id, updated_at) where (status = 'pending');
-- The primary key comes after the other indexes but one: where indexes seem to cost the same, as they do while a table is small
-- or has no statistics, PostgreSQL takes the youngest. By another one, it would look for a job among all jobs of its tenant.
alter table translation_jobs add constraint translation_jobs_tenant_id_job_id_pk primary key (tenant_id, job_id);
create index translation_jobs_status_idx on translation_jobs using btree (tenant_id, status, updated_at, job_id);
--> statement-breakpoint
create table usage_records (
  tenant_id text collate "C" not null,
  job_id text collate "C" not null,
  kind text not null,
  billing_period text not null,
  source_lang text not null,
  target_lang text not null,
  source_chars integer not null,
  billable_chars integer not null,
  job_status text not null,
  fast_path text,
  input_tokens integer default 0 not null,
  output_tokens integer default 0 not null,
  total_tokens integer default 0 not null,
  models jsonb default '[]'::jsonb not null,
  recorded_at timestamp(3) with time zone default now() not null,
  submitted_by text collate "C",
  constraint usage_records_tenant_id_job_id_pk primary key (tenant_id, job_id),
  constraint usage_records_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
) with (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
create index usage_records_tenant_id_recorded_at_idx on usage_records using btree (tenant_id, recorded_at, job_id);
--> statement-breakpoint
-- Totals are updated in place all day. Free space on each page keeps the new row version on the same page.
create table usage_totals (
  tenant_id text collate "C" not null,
  day date not null,
  allowance_window text collate "C" not null,
  slot smallint not null,
  jobs bigint default 0 not null,
  source_chars bigint default 0 not null,
  billable_chars bigint default 0 not null,
  trial_chars bigint default 0 not null,
  topup_chars bigint default 0 not null,
  input_tokens bigint default 0 not null,
  output_tokens bigint default 0 not null,
  total_tokens bigint default 0 not null,
  constraint usage_totals_tenant_id_day_allowance_window_slot_pk primary key (tenant_id, day, allowance_window, slot),
  constraint usage_totals_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
--> statement-breakpoint
-- Sums over all tenants, which only the platform may see. An empty id would not do: '' is the scope of an unknown credential.
create table usage_days (
  tenant_id text collate "C" not null,
  day date not null,
  jobs bigint default 0 not null,
  source_chars bigint default 0 not null,
  billable_chars bigint default 0 not null,
  input_tokens bigint default 0 not null,
  output_tokens bigint default 0 not null,
  total_tokens bigint default 0 not null,
  constraint usage_days_tenant_id_day_pk primary key (tenant_id, day),
  constraint usage_days_tenant_id_check check ((tenant_id = '*'))
);
--> statement-breakpoint
create table payment_events (
  tenant_id text collate "C" not null,
  event_id text collate "C" not null,
  type text not null,
  created_at timestamp(3) with time zone not null,
  applied_at timestamp(3) with time zone default now() not null,
  constraint payment_events_tenant_id_event_id_pk primary key (tenant_id, event_id),
  constraint payment_events_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
);
create index payment_events_applied_at_idx on payment_events using btree (applied_at);
--> statement-breakpoint
create table terminology_sets (
  tenant_id text collate "C" not null,
  set_id text collate "C" not null,
  name text not null,
  source_lang text,
  target_lang text,
  entry_count integer not null,
  embedding_model text,
  revision text collate "C" not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone default now() not null,
  constraint terminology_sets_tenant_id_set_id_pk primary key (tenant_id, set_id),
  constraint terminology_sets_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
);
create unique index terminology_sets_tenant_id_name_key on terminology_sets using btree (tenant_id, name);
--> statement-breakpoint
create table terminology_entries (
  tenant_id text collate "C" not null,
  set_id text collate "C" not null,
  entry_no integer not null,
  source_lang text collate "C" not null,
  target_lang text collate "C" not null,
  source_term text not null,
  target_term text not null,
  case_sensitive boolean not null,
  priority integer not null,
  constraint terminology_entries_tenant_id_set_id_entry_no_pk primary key (tenant_id, set_id, entry_no),
  constraint terminology_entries_tenant_id_set_id_terminology_sets_tenant_id
    foreign key (tenant_id, set_id) references terminology_sets(tenant_id, set_id) on delete cascade
);
create index terminology_entries_languages_idx on terminology_entries using btree (tenant_id, source_lang, target_lang);
--> statement-breakpoint
create table memory_contents (
  tenant_id text collate "C" not null,
  content_id text collate "C" not null,
  constraint memory_contents_tenant_id_content_id_pk primary key (tenant_id, content_id),
  constraint memory_contents_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
);
--> statement-breakpoint
create table memory_sets (
  tenant_id text collate "C" not null,
  set_id text collate "C" not null,
  content_id text collate "C" not null,
  name text not null,
  source_lang text not null,
  target_lang text not null,
  pair_source text collate "C" not null,
  pair_target text collate "C" not null,
  origin text not null,
  entry_count integer not null,
  embedding_model text,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone default now() not null,
  constraint memory_sets_tenant_id_set_id_pk primary key (tenant_id, set_id),
  constraint memory_sets_tenant_id_content_id_memory_contents_tenant_id_cont
    foreign key (tenant_id, content_id) references memory_contents(tenant_id, content_id) on delete cascade,
  constraint memory_sets_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
);
create unique index memory_sets_tenant_id_name_key on memory_sets using btree (tenant_id, name);
create index memory_sets_pair_idx on memory_sets using btree (tenant_id, pair_source, pair_target);
create unique index memory_sets_tenant_id_content_id_key on memory_sets using btree (tenant_id, content_id);
--> statement-breakpoint
create table memory_imports (
  tenant_id text collate "C" not null,
  import_id text collate "C" not null,
  status text not null,
  set_name text not null,
  source_lang text not null,
  target_lang text not null,
  pair_source text collate "C" not null,
  pair_target text collate "C" not null,
  total_units integer not null,
  deduped_units integer not null,
  skipped_units integer not null,
  duplicates_dropped integer not null,
  content_id text collate "C",
  embedding_model text,
  attempts integer default 0 not null,
  error text,
  result jsonb,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone default now() not null,
  constraint memory_imports_tenant_id_import_id_pk primary key (tenant_id, import_id),
  constraint memory_imports_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade,
  constraint memory_imports_tenant_id_content_id_memory_contents_tenant_id_c
    foreign key (tenant_id, content_id) references memory_contents(tenant_id, content_id)
);
create index memory_imports_created_at_idx on memory_imports using btree (tenant_id, created_at, import_id);
create unique index memory_imports_running_key on memory_imports using btree (tenant_id, set_name) where (status = 'running');
create index memory_imports_content_id_idx on memory_imports using btree (tenant_id, content_id) where (content_id is not null);
--> statement-breakpoint
create sequence memory_segment_no;
create table memory_segments (
  tenant_id text collate "C" not null,
  content_id text collate "C" not null,
  segment_no bigint default nextval('memory_segment_no'::regclass) not null,
  source_hash bytea not null,
  source_text text not null,
  target_text text not null,
  tuid text,
  changed_at timestamp(0) with time zone,
  shard_no integer,
  job_id text collate "C"
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
create index memory_segments_source_hash_idx on memory_segments using btree (tenant_id, source_hash);
create index memory_segments_job_id_idx on memory_segments using btree (tenant_id, job_id) where (job_id is not null);
alter table memory_segments add constraint memory_segments_content_id_tenant_id_segment_no_pk primary key (content_id, tenant_id, segment_no);
create index memory_segments_unindexed_idx on memory_segments using btree (tenant_id, content_id, shard_no) where ((shard_no is null) or (shard_no < 0));
-- Instead of a foreign key with ON DELETE CASCADE: checking the key for each inserted row took about a sixth of an import.
create function delete_segments_of_content() returns trigger language plpgsql as $$
begin
  delete from memory_segments where tenant_id = old.tenant_id and content_id = old.content_id;
  return null;
end
$$;
create trigger delete_segments after delete on memory_contents
  for each row execute function delete_segments_of_content();
--> statement-breakpoint
create table memory_shards (
  tenant_id text collate "C" not null,
  content_id text collate "C" not null,
  shard_no integer not null,
  segments integer not null,
  length_marks bytea not null,
  segment_nos bytea not null,
  constraint memory_shards_tenant_id_content_id_shard_no_pk primary key (tenant_id, content_id, shard_no),
  constraint memory_shards_tenant_id_content_id_memory_contents_tenant_id_co
    foreign key (tenant_id, content_id) references memory_contents(tenant_id, content_id) on delete cascade
);
-- Lookups read a few bytes of it: not compressed.
alter table memory_shards alter column segment_nos set storage external;
--> statement-breakpoint
create table memory_postings (
  tenant_id text collate "C" not null,
  content_id text collate "C" not null,
  shard_no integer not null,
  bucket integer not null,
  count integer not null,
  ordinals bytea not null,
  constraint memory_postings_tenant_id_content_id_shard_no_bucket_pk primary key (tenant_id, content_id, shard_no, bucket)
);
-- Packed already: compression costs time and saves nothing.
alter table memory_postings alter column ordinals set storage external;
-- Instead of a foreign key, which would look the shard up for each of its 16,000 lists. Only the transaction that writes a shard
-- writes its lists.
create function delete_postings_of_shards() returns trigger language plpgsql as $$
begin
  delete from memory_postings p using gone
  where p.tenant_id = gone.tenant_id and p.content_id = gone.content_id and p.shard_no = gone.shard_no;
  return null;
end
$$;
create trigger delete_postings after delete on memory_shards
  referencing old table as gone for each statement execute function delete_postings_of_shards();
--> statement-breakpoint
create table memory_pair_shards (
  tenant_id text collate "C" not null,
  pair_source text collate "C" not null,
  pair_target text collate "C" not null,
  shard_no integer not null,
  segments integer not null,
  length_marks bytea not null,
  segment_nos bytea not null,
  contents jsonb not null,
  content_places bytea not null,
  constraint memory_pair_shards_tenant_id_pair_source_pair_target_shard_no_p primary key (tenant_id, pair_source, pair_target, shard_no),
  constraint memory_pair_shards_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
);
-- Lookups read a few bytes of each.
alter table memory_pair_shards alter column segment_nos set storage external, alter column content_places set storage external;
--> statement-breakpoint
create table memory_pair_postings (
  tenant_id text collate "C" not null,
  pair_source text collate "C" not null,
  pair_target text collate "C" not null,
  shard_no integer not null,
  bucket integer not null,
  count integer not null,
  ordinals bytea not null,
  constraint memory_pair_postings_tenant_id_pair_source_pair_target_shard_no primary key (tenant_id, pair_source, pair_target, shard_no, bucket)
);
-- Packed already.
alter table memory_pair_postings alter column ordinals set storage external;
create function delete_postings_of_pair_shards() returns trigger language plpgsql as $$
begin
  delete from memory_pair_postings p using gone
  where p.tenant_id = gone.tenant_id and p.pair_source = gone.pair_source and p.pair_target = gone.pair_target
    and p.shard_no = gone.shard_no;
  return null;
end
$$;
create trigger delete_pair_postings after delete on memory_pair_shards
  referencing old table as gone for each statement execute function delete_postings_of_pair_shards();
--> statement-breakpoint
create table memory_vectors (
  tenant_id text collate "C" not null,
  content_id text collate "C" not null,
  block_no bigint not null,
  segment_nos bigint[] not null,
  codes bytea not null,
  vectors bytea not null,
  constraint memory_vectors_tenant_id_content_id_block_no_pk primary key (tenant_id, content_id, block_no),
  constraint memory_vectors_tenant_id_content_id_memory_contents_tenant_id_c
    foreign key (tenant_id, content_id) references memory_contents(tenant_id, content_id) on delete cascade
);
-- Signs and rounded components do not compress, and a lookup reads single vectors of a block.
alter table memory_vectors alter column codes set storage external, alter column vectors set storage external;
--> statement-breakpoint
create table worker_heartbeats (
  worker_id text collate "C" not null,
  seen_at timestamp(3) with time zone default now() not null,
  constraint worker_heartbeats_pkey primary key (worker_id)
);
--> statement-breakpoint
create table document_artifacts (
  tenant_id text collate "C" not null,
  artifact_id text collate "C" not null,
  document_id text collate "C" not null,
  kind text not null,
  revision integer not null,
  content_type text not null,
  size_bytes integer not null,
  sha256 text not null,
  created_at timestamp(3) with time zone default now() not null,
  address text,
  state text default 'kept' not null,
  constraint document_artifacts_tenant_id_artifact_id_pk primary key (tenant_id, artifact_id)
);
create unique index document_artifacts_revision_key on document_artifacts using btree (tenant_id, document_id, kind, revision);
--> statement-breakpoint
create table document_jobs (
  tenant_id text collate "C" not null,
  document_id text collate "C" not null,
  status text not null,
  attempt integer default 0 not null,
  running boolean default false not null,
  interruptions smallint default 0 not null,
  idempotency_key text,
  reserved_chars bigint default 0 not null,
  draws_topup boolean default false not null,
  request jsonb not null,
  source_file_name text not null,
  source_format text not null,
  stage text default 'ingest' not null,
  stage_timings jsonb default '{}'::jsonb not null,
  page_count integer,
  source_chars integer default 0 not null,
  segments integer default 0 not null,
  translated_segments integer default 0 not null,
  report_figures jsonb,
  extract_findings jsonb default '[]'::jsonb not null,
  rebuild_findings jsonb default '[]'::jsonb not null,
  review_lease_until timestamp(3) with time zone,
  review_history jsonb default '[]'::jsonb not null,
  approved_at timestamp(3) with time zone,
  approved_by text,
  feed_manifest jsonb,
  failure jsonb,
  input_tokens integer default 0 not null,
  output_tokens integer default 0 not null,
  models jsonb default '[]'::jsonb not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone default now() not null,
  golden_record jsonb,
  golden_uri text,
  request_fingerprint bytea,
  warnings jsonb,
  waiting_since timestamp(3) with time zone,
  waiting_reason text,
  waiting_attempts integer default 0 not null,
  next_attempt_at timestamp(3) with time zone,
  approved_by_user text collate "C",
  reopenings integer,
  edits integer default 0 not null,
  rendered_edits integer default 0 not null,
  submitted_by text collate "C",
  text_outcome jsonb,
  decisions integer default 0 not null,
  rendered_decisions integer default 0 not null,
  approved_via jsonb,
  constraint document_jobs_tenant_id_document_id_pk primary key (tenant_id, document_id),
  constraint document_jobs_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
);
create unique index document_jobs_tenant_id_idempotency_key_key on document_jobs using btree (tenant_id, idempotency_key) where (idempotency_key is not null);
create index document_jobs_tenant_id_updated_at_idx on document_jobs using btree (tenant_id, updated_at, document_id);
create index document_jobs_unfinished_idx on document_jobs using btree (tenant_id, updated_at) where (status = any (array['queued', 'extracted']));
create index document_jobs_unrecorded_idx on document_jobs using btree (tenant_id, approved_at) where ((approved_at is not null) and (golden_uri is null));
create index document_jobs_waiting_idx on document_jobs using btree (tenant_id, updated_at, document_id) where ((status = 'translated') and (approved_at is null));
--> statement-breakpoint
create table document_segments (
  tenant_id text collate "C" not null,
  document_id text collate "C" not null,
  position integer not null,
  region_id text not null,
  cell_id text,
  kind text not null,
  page integer,
  place text not null,
  source_key bytea not null,
  source jsonb not null,
  source_text text not null,
  target jsonb,
  target_text text,
  score integer,
  needs_review boolean default false not null,
  issues jsonb default '[]'::jsonb not null,
  fast_path text,
  provenance jsonb,
  corrected boolean default false not null,
  feed_pending boolean default false not null,
  source_rectangles jsonb,
  target_rectangles jsonb,
  pipeline_text text,
  confirmed_at timestamp(3) with time zone,
  confirmed_by text,
  context text,
  variant text,
  words jsonb,
  max_length integer,
  constraint document_segments_tenant_id_document_id_position_pk primary key (tenant_id, document_id, "position"),
  constraint document_segments_tenant_id_document_id_document_jobs_tenant_id
    foreign key (tenant_id, document_id) references document_jobs(tenant_id, document_id) on delete cascade
);
create index document_segments_flagged_idx on document_segments using btree (tenant_id, document_id, "position") where needs_review;
create index document_segments_source_key_idx on document_segments using btree (source_key, tenant_id, document_id);
create index document_segments_feed_pending_idx on document_segments using btree (tenant_id, document_id, "position") where feed_pending;
--> statement-breakpoint
create table parked_job_replays (
  tenant_id text collate "C" not null,
  replay_id text collate "C" not null,
  parked integer not null,
  published integer default 0 not null,
  failed integer default 0 not null,
  ended boolean default false not null,
  created_at timestamp(3) with time zone default now() not null,
  constraint parked_job_replays_tenant_id_replay_id_pk primary key (tenant_id, replay_id),
  constraint parked_job_replays_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
);
--> statement-breakpoint
create table storage_bindings (
  tenant_id text collate "C" not null,
  account_url text not null,
  filesystem text not null,
  auth_mode text not null,
  secret bytea,
  secret_key_id text,
  documents_prefix text not null,
  golden_prefix text not null,
  terminology_prefix text not null,
  status text not null,
  last_error text,
  revision integer default 1 not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone default now() not null,
  updated_by text,
  last_verified_at timestamp(3) with time zone,
  held_since timestamp(3) with time zone,
  constraint storage_bindings_pkey primary key (tenant_id),
  constraint storage_bindings_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
);
create index storage_bindings_container_idx on storage_bindings using btree (account_url, filesystem);
--> statement-breakpoint
create table storage_totals (
  tenant_id text collate "C" not null,
  bytes bigint default 0 not null,
  objects integer default 0 not null,
  cap_bytes bigint,
  constraint storage_totals_pkey primary key (tenant_id),
  constraint storage_totals_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
);
--> statement-breakpoint
create table review_claims (
  tenant_id text collate "C" not null,
  user_id text collate "C" not null,
  item_kind text not null,
  item_id text collate "C" not null,
  holder text not null,
  claimed_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  position integer,
  constraint review_claims_tenant_id_user_id_item_kind_item_id_pk primary key (tenant_id, user_id, item_kind, item_id),
  constraint review_claims_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
);
create index review_claims_item_idx on review_claims using btree (tenant_id, item_kind, item_id);
create index review_claims_expires_at_idx on review_claims using btree (expires_at);
--> statement-breakpoint
create table review_days (
  tenant_id text collate "C" not null,
  day date not null,
  user_id text collate "C" not null,
  approved integer default 0 not null,
  edited integer default 0 not null,
  rejected integer default 0 not null,
  measured integer default 0 not null,
  words bigint default 0 not null,
  edits bigint default 0 not null,
  timed integer default 0 not null,
  worked_ms bigint default 0 not null,
  constraint review_days_tenant_id_day_user_id_pk primary key (tenant_id, day, user_id),
  constraint review_days_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
);
--> statement-breakpoint
create table token_spending (
  tenant_id text collate "C" not null,
  day date not null,
  tokens bigint default 0 not null,
  constraint token_spending_tenant_id_pk primary key (tenant_id),
  constraint token_spending_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
);
--> statement-breakpoint
create table review_openings (
  tenant_id text collate "C" not null,
  user_id text collate "C" not null,
  item_kind text not null,
  item_id text collate "C" not null,
  opened_at timestamp(3) with time zone not null,
  constraint review_openings_tenant_id_user_id_item_kind_item_id_pk primary key (tenant_id, user_id, item_kind, item_id),
  constraint review_openings_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
);
create index review_openings_opened_at_idx on review_openings using btree (opened_at);
--> statement-breakpoint
create table segment_events (
  tenant_id text collate "C" not null,
  event_id text collate "C" not null,
  document_id text collate "C" not null,
  position integer not null,
  change_id text collate "C" not null,
  kind text not null,
  user_id text collate "C",
  actor text,
  target_text text,
  before jsonb,
  reason jsonb,
  undone_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone default now() not null,
  constraint segment_events_tenant_id_event_id_pk primary key (tenant_id, event_id),
  constraint segment_events_tenant_id_document_id_document_jobs_tenant_id_do
    foreign key (tenant_id, document_id) references document_jobs(tenant_id, document_id) on delete cascade
);
create index segment_events_segment_idx on segment_events using btree (tenant_id, document_id, "position", created_at);
create index segment_events_change_idx on segment_events using btree (tenant_id, document_id, change_id);
create index segment_events_latest_idx on segment_events using btree (tenant_id, document_id, created_at);
--> statement-breakpoint
create table review_comments (
  tenant_id text collate "C" not null,
  comment_id text collate "C" not null,
  item_kind text not null,
  item_id text collate "C" not null,
  position integer,
  user_id text collate "C" not null,
  author text not null,
  body text not null,
  mentions jsonb default '[]'::jsonb not null,
  created_at timestamp(3) with time zone default now() not null,
  deleted_at timestamp(3) with time zone,
  constraint review_comments_tenant_id_comment_id_pk primary key (tenant_id, comment_id),
  constraint review_comments_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
);
create index review_comments_item_idx on review_comments using btree (tenant_id, item_kind, item_id, "position", created_at);
create index review_comments_latest_idx on review_comments using btree (tenant_id, created_at, comment_id);
create index review_comments_deleted_idx on review_comments using btree (deleted_at) where (deleted_at is not null);
--> statement-breakpoint
create table tenant_deletions (
  tenant_id text collate "C" not null,
  scheduled_at timestamp(3) with time zone default now() not null,
  due_at timestamp(3) with time zone not null,
  was_active boolean not null,
  tenant_created_at timestamp(3) with time zone not null,
  started_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  progress jsonb not null,
  constraint tenant_deletions_pkey primary key (tenant_id)
);
create index tenant_deletions_due_idx on tenant_deletions using btree (due_at) where (finished_at is null);
--> statement-breakpoint
create table maintenance_runs (
  name text collate "C" not null,
  finished_at timestamp(3) with time zone default now() not null,
  every_seconds integer,
  constraint maintenance_runs_pkey primary key (name)
);
--> statement-breakpoint
create table tenant_retention (
  tenant_id text collate "C" not null,
  jobs_days integer,
  documents_days integer,
  audit_days integer,
  hold boolean default false not null,
  usage_days integer,
  invites_days integer,
  constraint tenant_retention_pkey primary key (tenant_id),
  constraint tenant_retention_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
);
--> statement-breakpoint
create table tenant_exports (
  tenant_id text collate "C" not null,
  export_id text collate "C" not null,
  requested_by text collate "C",
  requested_at timestamp(3) with time zone default now() not null,
  position jsonb,
  parts jsonb default '[]'::jsonb not null,
  files integer default 0 not null,
  counts jsonb default '{}'::jsonb not null,
  finished_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone,
  constraint tenant_exports_tenant_id_export_id_pk primary key (tenant_id, export_id),
  constraint tenant_exports_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
);
create unique index tenant_exports_running_key on tenant_exports using btree (tenant_id) where (finished_at is null);
--> statement-breakpoint
create table usage_day_groups (
  tenant_id text collate "C" not null,
  day date not null,
  kind text not null,
  source_lang text not null,
  target_lang text not null,
  served_from text not null,
  submitted_by text collate "C" not null,
  domain text not null,
  jobs bigint default 0 not null,
  source_chars bigint default 0 not null,
  billable_chars bigint default 0 not null,
  constraint usage_day_groups_pk primary key (tenant_id, day, kind, source_lang, target_lang, served_from, submitted_by, domain),
  constraint usage_day_groups_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
);
--> statement-breakpoint
create table model_requests (
  hour timestamp(3) with time zone not null,
  model text collate "C" not null,
  mode text collate "C" not null,
  outcome text collate "C" not null,
  duration integer not null,
  requests bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  constraint model_requests_hour_model_mode_outcome_duration_pk primary key (hour, model, mode, outcome, duration)
);
--> statement-breakpoint
create table mail_preferences (
  tenant_id text collate "C" not null,
  user_id text collate "C" not null,
  digest boolean default true not null,
  documents boolean default true not null,
  language text,
  constraint mail_preferences_tenant_id_user_id_pk primary key (tenant_id, user_id),
  constraint mail_preferences_tenant_id_user_id_users_tenant_id_user_id_fk
    foreign key (tenant_id, user_id) references users(tenant_id, user_id) on delete cascade
);
--> statement-breakpoint
create table mails (
  tenant_id text collate "C" not null,
  mail_id text collate "C" not null,
  dedupe_key text collate "C" not null,
  kind text not null,
  user_id text collate "C",
  address text,
  language text not null,
  subject_id text collate "C",
  items integer default 0 not null,
  failed_items integer default 0 not null,
  sealed_token bytea,
  state text default 'pending' not null,
  reason text,
  attempts integer default 0 not null,
  leased_until timestamp(3) with time zone,
  next_attempt_at timestamp(3) with time zone default now() not null,
  created_at timestamp(3) with time zone default now() not null,
  expires_at timestamp(3) with time zone not null,
  ended_at timestamp(3) with time zone,
  constraint mails_tenant_id_mail_id_pk primary key (tenant_id, mail_id),
  constraint mails_tenant_id_dedupe_key_key unique (tenant_id, dedupe_key),
  constraint mails_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
);
create index mails_tenant_id_user_id_idx on mails using btree (tenant_id, user_id, kind, ended_at);
create index mails_pending_idx on mails using btree (next_attempt_at) where (state = 'pending');
create index mails_ended_at_idx on mails using btree (ended_at) where (ended_at is not null);
--> statement-breakpoint
create table event_feeds (
  tenant_id text collate "C" not null,
  feed_id text collate "C" not null,
  complete boolean default false not null,
  last_position bigint default 0 not null,
  pruned_position bigint default 0 not null,
  read_at timestamp(3) with time zone default now() not null,
  constraint event_feeds_pkey primary key (tenant_id),
  constraint event_feeds_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
);
--> statement-breakpoint
create sequence event_sequence;
create table events (
  tenant_id text collate "C" not null,
  sequence bigint default nextval('event_sequence'::regclass) not null,
  position bigint,
  event_id uuid default gen_random_uuid() not null,
  type text not null,
  resource text not null,
  resource_id text collate "C" not null,
  status text not null,
  occurred_at timestamp(3) with time zone default clock_timestamp() not null,
  constraint events_tenant_id_sequence_pk primary key (tenant_id, sequence),
  constraint events_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
);
create unique index events_tenant_id_position_key on events using btree (tenant_id, "position");
--> statement-breakpoint
create table api_keys (
  tenant_id text collate "C" not null,
  key_id text collate "C" not null,
  name text not null,
  scope text not null,
  prefix text not null,
  workspace boolean default false not null,
  created_at timestamp(3) with time zone default now() not null,
  created_by text,
  expires_at timestamp(3) with time zone,
  overlap_ends_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  constraint api_keys_tenant_id_key_id_pk primary key (tenant_id, key_id),
  constraint api_keys_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
);
create unique index api_keys_workspace_key on api_keys using btree (tenant_id) where (workspace and (revoked_at is null));
create unique index api_keys_name_key on api_keys using btree (tenant_id, name) where ((not workspace) and (revoked_at is null));
--> statement-breakpoint
create table style_guides (
  tenant_id text collate "C" not null,
  target_lang text collate "C" not null,
  rules text not null,
  quotation_marks text,
  spacing text,
  formality text,
  forbidden_words jsonb not null,
  version text collate "C" not null,
  updated_at timestamp(3) with time zone default now() not null,
  updated_by text collate "C",
  constraint style_guides_tenant_id_target_lang_pk primary key (tenant_id, target_lang),
  constraint style_guides_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
);
--> statement-breakpoint
create table recognized_pages (
  tenant_id text collate "C" not null,
  document_id text collate "C" not null,
  page integer not null,
  content jsonb,
  failure text,
  constraint recognized_pages_tenant_id_document_id_page_pk primary key (tenant_id, document_id, page),
  constraint recognized_pages_tenant_id_document_id_document_jobs_tenant_id_
    foreign key (tenant_id, document_id) references document_jobs(tenant_id, document_id) on delete cascade
);
--> statement-breakpoint
create table store_identity (
  singleton boolean default true not null,
  store_id text collate "C" not null,
  constraint store_identity_pkey primary key (singleton)
);
--> statement-breakpoint
alter table document_artifacts add constraint document_artifacts_tenant_id_document_id_document_jobs_tenant_i foreign key (tenant_id, document_id) references document_jobs(tenant_id, document_id) on delete cascade;
--> statement-breakpoint
-- The reservations of the work in progress. A queued job is never stale, so that its key does not run again. A document reserves its
-- characters from the stage `admit` on; its idempotency key is not one of text jobs.
create view work_in_flight with (security_invoker = true) as
  select tenant_id, idempotency_key, case when queued then now()::timestamp (3) with time zone else updated_at end as updated_at,
    reserved_chars as chars, reserved_rest_chars as rest_chars, reserved_rest_jobs as rest_jobs
  from translation_jobs where status = 'pending'
  union all
  select tenant_id, null, updated_at, reserved_chars, 0::bigint, 0
  from document_jobs where status in ('queued', 'extracted');

-- Text jobs whose golden record could not be written (B 3.1), for those who change the storage.
create view parked_jobs with (security_invoker = true) as
  select tenant_id, updated_at from translation_jobs where status = 'persistence_failed';
--> statement-breakpoint
-- The totals follow the files' rows, whoever writes them. A tenant's own account does not count.
create function count_artifact() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into storage_totals as t (tenant_id, bytes, objects) values (new.tenant_id, new.size_bytes, 1)
    on conflict (tenant_id) do update set bytes = t.bytes + new.size_bytes, objects = t.objects + 1;
  else
    update storage_totals set bytes = bytes - old.size_bytes, objects = objects - 1 where tenant_id = old.tenant_id;
  end if;
  return null;
end
$$;
create trigger count_inserted after insert on document_artifacts
  for each row when (new.address is null) execute function count_artifact();
create trigger count_deleted after delete on document_artifacts
  for each row when (old.address is null) execute function count_artifact();
--> statement-breakpoint
-- The triggers below record every change of state, whoever writes it. They insert nothing for tenants
-- whose feed is off. A decision of a review comes before the status that it leads to.
create function record_translation_events() returns trigger language plpgsql as $$
declare
  tenant text := coalesce(new.tenant_id, old.tenant_id);
  job text := coalesce(new.job_id, old.job_id);
begin
  if not exists (select from event_feeds where event_feeds.tenant_id = tenant) then
    return null;
  end if;
  if tg_op = 'DELETE' then
    insert into events (tenant_id, type, resource, resource_id, status)
      values (tenant, 'translation.deleted', 'translation', job, 'deleted');
    return null;
  end if;
  if tg_op = 'UPDATE' and (old.decided_at is null) <> (new.decided_at is null) then
    insert into events (tenant_id, type, resource, resource_id, status)
      values (tenant, case when new.decided_at is null then 'review.reopened' when new.status = 'rejected' then 'review.rejected'
        else 'review.approved' end, 'translation', job, new.status);
  end if;
  if new.status not in ('pending', 'approved') and (tg_op = 'INSERT' or old.status <> new.status) then
    insert into events (tenant_id, type, resource, resource_id, status)
      values (tenant, 'translation.' || new.status, 'translation', job, new.status);
  end if;
  return null;
end
$$;
create trigger record_inserted after insert on translation_jobs
  for each row when (new.status <> 'pending') execute function record_translation_events();
create trigger record_updated after update on translation_jobs
  for each row when (old.status <> new.status or (old.decided_at is null) <> (new.decided_at is null))
  execute function record_translation_events();
-- A job of a request that is still open has no events: if an earlier item of the request fails, the job is deleted.
create trigger record_deleted after delete on translation_jobs
  for each row when (old.status <> 'pending' or old.queued) execute function record_translation_events();
create function record_document_events() returns trigger language plpgsql as $$
declare
  tenant text := coalesce(new.tenant_id, old.tenant_id);
  document text := coalesce(new.document_id, old.document_id);
begin
  if not exists (select from event_feeds where event_feeds.tenant_id = tenant) then
    return null;
  end if;
  if tg_op = 'DELETE' then
    insert into events (tenant_id, type, resource, resource_id, status)
      values (tenant, 'document.deleted', 'document', document, 'deleted');
    return null;
  end if;
  if tg_op = 'INSERT' or old.status <> new.status then
    insert into events (tenant_id, type, resource, resource_id, status)
      values (tenant, 'document.' || new.status, 'document', document, new.status);
  end if;
  if tg_op = 'UPDATE' and (old.approved_at is null) <> (new.approved_at is null) then
    insert into events (tenant_id, type, resource, resource_id, status)
      values (tenant, case when new.approved_at is null then 'review.reopened' else 'review.approved' end, 'document', document,
        new.status);
  end if;
  return null;
end
$$;
create trigger record_inserted after insert on document_jobs for each row execute function record_document_events();
create trigger record_updated after update on document_jobs
  for each row when (old.status <> new.status or (old.approved_at is null) <> (new.approved_at is null))
  execute function record_document_events();
create trigger record_deleted after delete on document_jobs for each row execute function record_document_events();
create function record_import_events() returns trigger language plpgsql as $$
begin
  insert into events (tenant_id, type, resource, resource_id, status)
    select new.tenant_id, 'memory_import.' || new.status, 'memory_import', new.import_id, new.status
    where exists (select from event_feeds where event_feeds.tenant_id = new.tenant_id);
  return null;
end
$$;
create trigger record_inserted after insert on memory_imports for each row execute function record_import_events();
create trigger record_updated after update on memory_imports
  for each row when (old.status <> new.status) execute function record_import_events();
--> statement-breakpoint
-- Row-level security for every table with tenants' rows. A later migration that adds such a table ends with
-- `select protect_tenant_table('its_name');`: test/db/catalog.test.ts fails without it.
--
-- The scope of a transaction is the setting `lingualoop.tenant_id`: a tenant's id, '*' for the platform; unset or empty, it matches
-- no row. (After a transaction that set it, a connection keeps '': hence nullif.) db/client.ts sets it.

-- The tenant of the scope, for queries that take it from there; '' for the platform.
create function tenant_scope_from() returns text language sql stable parallel safe
return case current_setting('lingualoop.tenant_id', true)
  when '*' then '' else nullif(current_setting('lingualoop.tenant_id', true), '') end;
-- Equality of texts whose selectivity PostgreSQL estimates as that of inequality: true for nearly every row. With `=`, the planner
-- multiplies the policy with a query's own `tenant_id = $1`, expects one row of any tenant, and takes any index that begins with
-- tenant_id for as good as any other (docs/decisions/0025).
create operator === (leftarg = text, rightarg = text, function = texteq, restrict = neqsel, join = neqjoinsel);
-- Adds the policy. It binds the owner of the table too. The setting stands in a subquery, which PostgreSQL evaluates once for each
-- statement, not for each row.
create function protect_tenant_table(tenant_table regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', tenant_table);
  execute format('alter table %s force row level security', tenant_table);
  execute format(
    'create policy tenant_scope on %s using (tenant_id === (select current_setting(''lingualoop.tenant_id'', true))
       or (select current_setting(''lingualoop.tenant_id'', true)) = ''*'')',
    tenant_table);
end
$$;

select protect_tenant_table(name::regclass) from unnest(array[
  'tenants', 'users', 'tokens', 'mfa_challenges', 'recovery_codes', 'reset_links',
  'invites', 'audit_log', 'translation_jobs', 'usage_records', 'usage_totals', 'usage_days',
  'payment_events', 'terminology_sets', 'terminology_entries', 'memory_contents', 'memory_sets', 'memory_imports',
  'memory_segments', 'memory_shards', 'memory_postings', 'memory_pair_shards', 'memory_pair_postings', 'memory_vectors',
  'document_artifacts', 'document_jobs', 'document_segments', 'parked_job_replays', 'storage_bindings', 'storage_totals',
  'review_claims', 'review_days', 'token_spending', 'review_openings', 'segment_events', 'review_comments',
  'tenant_deletions', 'tenant_retention', 'tenant_exports', 'usage_day_groups', 'mail_preferences', 'mails',
  'event_feeds', 'events', 'api_keys', 'style_guides', 'recognized_pages']) as name;
