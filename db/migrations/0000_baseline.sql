-- The whole schema but the row-level policy, which 0001_row_level_policy.sql adds. Tables and indexes are those of db/schema; what
-- Drizzle cannot express (checks, triggers, storage, autovacuum) stands here with the table that it belongs to.
-- Returns a whole number of 0 or more from a tenant's metadata, and 0 for anything else: operators write metadata by hand.
create function metadata_count(metadata jsonb, key text) returns bigint language sql immutable parallel safe
return case jsonb_typeof(metadata -> key)
  when 'number' then least(greatest(trunc((metadata -> key)::numeric), 0), 9007199254740991)::bigint else 0 end;
--> statement-breakpoint
CREATE TABLE "tenants" (
	"tenant_id" text collate "C" PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"api_key_prefix" text NOT NULL,
	"monthly_char_limit" integer NOT NULL,
	"active" boolean DEFAULT true NOT NULL,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"failed_runs_until" timestamp (3) with time zone,
	"organization" text GENERATED ALWAYS AS (metadata ->> 'oidc_org_id') STORED,
	"allowance_window" text collate "C" GENERATED ALWAYS AS (left(coalesce(metadata ->> 'pay_allowance_from', ''), 64)) STORED,
	"topup_balance" bigint GENERATED ALWAYS AS (metadata_count(metadata, 'topup_chars_purchased') - metadata_count(metadata, 'topup_chars_used')) STORED
);
--> statement-breakpoint
CREATE INDEX "tenants_organization_idx" ON "tenants" USING hash ("organization") WHERE organization is not null;
--> statement-breakpoint
-- Ids must not look like the scope of the platform, '*', nor be empty.
alter table tenants add constraint tenants_tenant_id_form check (tenant_id ~ '^[a-z0-9_-]{1,64}$');
--> statement-breakpoint
CREATE TABLE "users" (
	"tenant_id" text collate "C" NOT NULL,
	"user_id" text collate "C" NOT NULL,
	"email" text NOT NULL,
	"provider" text NOT NULL,
	"role" text NOT NULL,
	"password_hash" text,
	"provider_subject" text,
	"active" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"totp_secret" "bytea",
	"totp_pending_secret" "bytea",
	"totp_last_step" integer,
	"mfa_failed_at" timestamp (3) with time zone[] DEFAULT '{}' NOT NULL,
	CONSTRAINT "users_tenant_id_user_id_pk" PRIMARY KEY("tenant_id","user_id"),
	CONSTRAINT "users_tenant_id_email_key" UNIQUE("tenant_id","email")
);
--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "users_user_id_idx" ON "users" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "users_password_accounts_idx" ON "users" USING btree ("email","created_at") WHERE provider = 'email' and active;
--> statement-breakpoint
CREATE INDEX "users_provider_subject_idx" ON "users" USING btree ("provider_subject") WHERE provider_subject is not null;
--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_tenant_id_provider_subject_key" UNIQUE("tenant_id","provider_subject");
--> statement-breakpoint
CREATE TABLE "tokens" (
	"tenant_id" text collate "C" NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"kind" text NOT NULL,
	"user_id" text collate "C" NOT NULL,
	"scope" text NOT NULL,
	"role" text NOT NULL,
	"family_id" text collate "C" DEFAULT gen_random_uuid()::text NOT NULL,
	"family_began_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"second_factor" boolean DEFAULT false NOT NULL,
	"consumed_at" timestamp (3) with time zone,
	"issued_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "tokens_tenant_id_token_hash_pk" PRIMARY KEY("tenant_id","token_hash")
);
--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_tenant_id_user_id_users_tenant_id_user_id_fk" FOREIGN KEY ("tenant_id","user_id") REFERENCES "public"."users"("tenant_id","user_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "tokens_expires_at_idx" ON "tokens" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "tokens_tenant_id_user_id_idx" ON "tokens" USING btree ("tenant_id","user_id","family_id");
--> statement-breakpoint
CREATE TABLE "credential_directory" (
	"credential_hash" "bytea" PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"expires_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE INDEX "credential_directory_tenant_id_idx" ON "credential_directory" USING btree ("tenant_id");
--> statement-breakpoint
CREATE INDEX "credential_directory_expires_at_idx" ON "credential_directory" USING btree ("expires_at");
--> statement-breakpoint
CREATE TABLE "mfa_challenges" (
	"tenant_id" text collate "C" NOT NULL,
	"challenge_hash" "bytea" NOT NULL,
	"user_id" text collate "C" NOT NULL,
	"method" text NOT NULL,
	"scope" text NOT NULL,
	"codes_submitted" integer DEFAULT 0 NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "mfa_challenges_tenant_id_challenge_hash_pk" PRIMARY KEY("tenant_id","challenge_hash")
);
--> statement-breakpoint
ALTER TABLE "mfa_challenges" ADD CONSTRAINT "mfa_challenges_tenant_id_user_id_users_tenant_id_user_id_fk" FOREIGN KEY ("tenant_id","user_id") REFERENCES "public"."users"("tenant_id","user_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "mfa_challenges_tenant_id_user_id_idx" ON "mfa_challenges" USING btree ("tenant_id","user_id");
--> statement-breakpoint
CREATE INDEX "mfa_challenges_expires_at_idx" ON "mfa_challenges" USING btree ("expires_at");
--> statement-breakpoint
CREATE TABLE "recovery_codes" (
	"tenant_id" text collate "C" NOT NULL,
	"user_id" text collate "C" NOT NULL,
	"code_hash" "bytea" NOT NULL,
	CONSTRAINT "recovery_codes_tenant_id_user_id_code_hash_pk" PRIMARY KEY("tenant_id","user_id","code_hash")
);
--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_tenant_id_user_id_users_tenant_id_user_id_fk" FOREIGN KEY ("tenant_id","user_id") REFERENCES "public"."users"("tenant_id","user_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE TABLE "reset_links" (
	"tenant_id" text collate "C" NOT NULL,
	"user_id" text collate "C" NOT NULL,
	"link_hash" "bytea" NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "reset_links_tenant_id_user_id_pk" PRIMARY KEY("tenant_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "reset_links" ADD CONSTRAINT "reset_links_tenant_id_user_id_users_tenant_id_user_id_fk" FOREIGN KEY ("tenant_id","user_id") REFERENCES "public"."users"("tenant_id","user_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "reset_links_expires_at_idx" ON "reset_links" USING btree ("expires_at");
--> statement-breakpoint
CREATE TABLE "invites" (
	"tenant_id" text collate "C" NOT NULL,
	"invite_id" text collate "C" NOT NULL,
	"secret_hash" "bytea" NOT NULL,
	"email" text,
	"role" text NOT NULL,
	"created_by" text NOT NULL,
	"by_operator" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"redeemed_at" timestamp (3) with time zone,
	"redeemed_by" text,
	"withdrawn_at" timestamp (3) with time zone,
	CONSTRAINT "invites_tenant_id_invite_id_pk" PRIMARY KEY("tenant_id","invite_id"),
	CONSTRAINT "invites_tenant_id_secret_hash_key" UNIQUE("tenant_id","secret_hash")
);
--> statement-breakpoint
ALTER TABLE "invites" ADD CONSTRAINT "invites_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "invites_tenant_id_created_at_idx" ON "invites" USING btree ("tenant_id","created_at","invite_id");
--> statement-breakpoint
CREATE INDEX "invites_open_idx" ON "invites" USING btree ("tenant_id","expires_at") WHERE redeemed_at is null and withdrawn_at is null;
--> statement-breakpoint
CREATE TABLE "sso_states" (
	"state_hash" "bytea" PRIMARY KEY NOT NULL,
	"sealed" "bytea" NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "sso_states_expires_at_idx" ON "sso_states" USING btree ("expires_at");
--> statement-breakpoint
CREATE UNLOGGED TABLE "rate_windows" (
	"bucket" text collate "C" NOT NULL,
	"subject" text collate "C" NOT NULL,
	"attempts" integer NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "rate_windows_bucket_subject_pk" PRIMARY KEY("bucket","subject")
);
--> statement-breakpoint
CREATE INDEX "rate_windows_ends_at_idx" ON "rate_windows" USING btree ("ends_at");
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"tenant_id" text collate "C" NOT NULL,
	"event_id" text collate "C" NOT NULL,
	"recorded_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"action" text NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"target" text,
	"address" text,
	"request_id" text,
	"details" jsonb DEFAULT '{}'::jsonb NOT NULL,
	CONSTRAINT "audit_log_tenant_id_event_id_pk" PRIMARY KEY("tenant_id","event_id")
);
--> statement-breakpoint
CREATE INDEX "audit_log_tenant_id_recorded_at_idx" ON "audit_log" USING btree ("tenant_id","recorded_at","event_id");
--> statement-breakpoint
CREATE INDEX "audit_log_recorded_at_idx" ON "audit_log" USING btree ("recorded_at","event_id");
--> statement-breakpoint
CREATE TABLE "translation_jobs" (
	"tenant_id" text collate "C" NOT NULL,
	"job_id" text collate "C" NOT NULL,
	"status" text NOT NULL,
	"attempt" integer DEFAULT 1 NOT NULL,
	"idempotency_key" text,
	"reserved_chars" bigint DEFAULT 0 NOT NULL,
	"reserved_rest_chars" bigint DEFAULT 0 NOT NULL,
	"request" jsonb NOT NULL,
	"baseline_translation" text,
	"final_translation" text,
	"quality_assessment" jsonb,
	"refinement" jsonb,
	"verification" jsonb,
	"agent_run" jsonb NOT NULL,
	"pipeline_metadata" jsonb,
	"pipeline_candidate" text,
	"publish_as" text,
	"golden_uri" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "translation_jobs" ADD CONSTRAINT "translation_jobs_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "translation_jobs_tenant_id_updated_at_idx" ON "translation_jobs" USING btree ("tenant_id","updated_at","job_id");
--> statement-breakpoint
CREATE INDEX "translation_jobs_unpersisted_idx" ON "translation_jobs" USING btree ("updated_at") WHERE status in ('approved', 'persistence_failed');
--> statement-breakpoint
CREATE UNIQUE INDEX "translation_jobs_tenant_id_idempotency_key_key" ON "translation_jobs" USING btree ("tenant_id","idempotency_key") WHERE idempotency_key is not null;
--> statement-breakpoint
CREATE INDEX "translation_jobs_pending_idx" ON "translation_jobs" USING btree ("tenant_id","updated_at") WHERE status = 'pending';
--> statement-breakpoint
-- The primary key comes after the other indexes but one. Where indexes seem to cost the same, as they do while a table is small or
-- has no statistics, PostgreSQL takes the youngest; by another one, it would look for a job among all jobs of its tenant.
ALTER TABLE "translation_jobs" ADD CONSTRAINT "translation_jobs_tenant_id_job_id_pk" PRIMARY KEY("tenant_id","job_id");
--> statement-breakpoint
CREATE INDEX "translation_jobs_status_idx" ON "translation_jobs" USING btree ("tenant_id","status","updated_at","job_id");
--> statement-breakpoint
create view work_in_flight with (security_invoker = true) as
  select tenant_id, idempotency_key, updated_at, reserved_chars as chars, reserved_rest_chars as rest_chars
  from translation_jobs where status = 'pending';
--> statement-breakpoint
CREATE TABLE "usage_records" (
	"tenant_id" text collate "C" NOT NULL,
	"job_id" text collate "C" NOT NULL,
	"kind" text NOT NULL,
	"billing_period" text NOT NULL,
	"source_lang" text NOT NULL,
	"target_lang" text NOT NULL,
	"source_chars" integer NOT NULL,
	"billable_chars" integer NOT NULL,
	"job_status" text NOT NULL,
	"fast_path" text,
	"input_tokens" integer DEFAULT 0 NOT NULL,
	"output_tokens" integer DEFAULT 0 NOT NULL,
	"total_tokens" integer DEFAULT 0 NOT NULL,
	"models" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"recorded_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "usage_records_tenant_id_job_id_pk" PRIMARY KEY("tenant_id","job_id")
);
--> statement-breakpoint
ALTER TABLE "usage_records" ADD CONSTRAINT "usage_records_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "usage_records_tenant_id_recorded_at_idx" ON "usage_records" USING btree ("tenant_id","recorded_at","job_id");
--> statement-breakpoint
CREATE TABLE "usage_totals" (
	"tenant_id" text collate "C" NOT NULL,
	"day" date NOT NULL,
	"allowance_window" text collate "C" NOT NULL,
	"slot" smallint NOT NULL,
	"jobs" bigint DEFAULT 0 NOT NULL,
	"source_chars" bigint DEFAULT 0 NOT NULL,
	"billable_chars" bigint DEFAULT 0 NOT NULL,
	"trial_chars" bigint DEFAULT 0 NOT NULL,
	"topup_chars" bigint DEFAULT 0 NOT NULL,
	"input_tokens" bigint DEFAULT 0 NOT NULL,
	"output_tokens" bigint DEFAULT 0 NOT NULL,
	"total_tokens" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "usage_totals_tenant_id_day_allowance_window_slot_pk" PRIMARY KEY("tenant_id","day","allowance_window","slot")
);
--> statement-breakpoint
ALTER TABLE "usage_totals" ADD CONSTRAINT "usage_totals_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
-- Totals are updated in place all day. Free space on each page keeps the new row version on the same page.
alter table usage_totals set (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE "usage_days" (
	"tenant_id" text collate "C" NOT NULL,
	"day" date NOT NULL,
	"jobs" bigint DEFAULT 0 NOT NULL,
	"source_chars" bigint DEFAULT 0 NOT NULL,
	"billable_chars" bigint DEFAULT 0 NOT NULL,
	"input_tokens" bigint DEFAULT 0 NOT NULL,
	"output_tokens" bigint DEFAULT 0 NOT NULL,
	"total_tokens" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "usage_days_tenant_id_day_pk" PRIMARY KEY("tenant_id","day")
);
--> statement-breakpoint
-- Sums over all tenants, which only the platform may see. An empty id would not do: '' is the scope of an unknown credential.
alter table usage_days add constraint usage_days_tenant_id_check check (tenant_id = '*');
--> statement-breakpoint
CREATE TABLE "payment_events" (
	"tenant_id" text collate "C" NOT NULL,
	"event_id" text collate "C" NOT NULL,
	"type" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"applied_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "payment_events_tenant_id_event_id_pk" PRIMARY KEY("tenant_id","event_id")
);
--> statement-breakpoint
ALTER TABLE "payment_events" ADD CONSTRAINT "payment_events_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "payment_events_applied_at_idx" ON "payment_events" USING btree ("applied_at");
--> statement-breakpoint
CREATE TABLE "terminology_sets" (
	"tenant_id" text collate "C" NOT NULL,
	"set_id" text collate "C" NOT NULL,
	"name" text NOT NULL,
	"source_lang" text,
	"target_lang" text,
	"entry_count" integer NOT NULL,
	"embedding_model" text,
	"revision" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "terminology_sets_tenant_id_set_id_pk" PRIMARY KEY("tenant_id","set_id")
);
--> statement-breakpoint
ALTER TABLE "terminology_sets" ADD CONSTRAINT "terminology_sets_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE UNIQUE INDEX "terminology_sets_tenant_id_name_key" ON "terminology_sets" USING btree ("tenant_id","name");
--> statement-breakpoint
CREATE TABLE "terminology_entries" (
	"tenant_id" text collate "C" NOT NULL,
	"set_id" text collate "C" NOT NULL,
	"entry_no" integer NOT NULL,
	"source_lang" text collate "C" NOT NULL,
	"target_lang" text collate "C" NOT NULL,
	"source_term" text NOT NULL,
	"target_term" text NOT NULL,
	"case_sensitive" boolean NOT NULL,
	"priority" integer NOT NULL,
	CONSTRAINT "terminology_entries_tenant_id_set_id_entry_no_pk" PRIMARY KEY("tenant_id","set_id","entry_no")
);
--> statement-breakpoint
ALTER TABLE "terminology_entries" ADD CONSTRAINT "terminology_entries_tenant_id_set_id_terminology_sets_tenant_id_set_id_fk" FOREIGN KEY ("tenant_id","set_id") REFERENCES "public"."terminology_sets"("tenant_id","set_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "terminology_entries_languages_idx" ON "terminology_entries" USING btree ("tenant_id","source_lang","target_lang");
--> statement-breakpoint
CREATE TABLE "memory_contents" (
	"tenant_id" text collate "C" NOT NULL,
	"content_id" text collate "C" NOT NULL,
	CONSTRAINT "memory_contents_tenant_id_content_id_pk" PRIMARY KEY("tenant_id","content_id")
);
--> statement-breakpoint
ALTER TABLE "memory_contents" ADD CONSTRAINT "memory_contents_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE TABLE "memory_sets" (
	"tenant_id" text collate "C" NOT NULL,
	"set_id" text collate "C" NOT NULL,
	"content_id" text collate "C" NOT NULL,
	"name" text NOT NULL,
	"source_lang" text NOT NULL,
	"target_lang" text NOT NULL,
	"pair_source" text collate "C" NOT NULL,
	"pair_target" text collate "C" NOT NULL,
	"origin" text NOT NULL,
	"entry_count" integer NOT NULL,
	"embedding_model" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "memory_sets_tenant_id_set_id_pk" PRIMARY KEY("tenant_id","set_id")
);
--> statement-breakpoint
ALTER TABLE "memory_sets" ADD CONSTRAINT "memory_sets_tenant_id_content_id_memory_contents_tenant_id_content_id_fk" FOREIGN KEY ("tenant_id","content_id") REFERENCES "public"."memory_contents"("tenant_id","content_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "memory_sets" ADD CONSTRAINT "memory_sets_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE UNIQUE INDEX "memory_sets_tenant_id_name_key" ON "memory_sets" USING btree ("tenant_id","name");
--> statement-breakpoint
CREATE INDEX "memory_sets_pair_idx" ON "memory_sets" USING btree ("tenant_id","pair_source","pair_target");
--> statement-breakpoint
CREATE UNIQUE INDEX "memory_sets_tenant_id_content_id_key" ON "memory_sets" USING btree ("tenant_id","content_id");
--> statement-breakpoint
CREATE TABLE "memory_imports" (
	"tenant_id" text collate "C" NOT NULL,
	"import_id" text collate "C" NOT NULL,
	"status" text NOT NULL,
	"set_name" text NOT NULL,
	"source_lang" text NOT NULL,
	"target_lang" text NOT NULL,
	"pair_source" text collate "C" NOT NULL,
	"pair_target" text collate "C" NOT NULL,
	"total_units" integer NOT NULL,
	"deduped_units" integer NOT NULL,
	"skipped_units" integer NOT NULL,
	"duplicates_dropped" integer NOT NULL,
	"content_id" text collate "C",
	"embedding_model" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"error" text,
	"result" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "memory_imports_tenant_id_import_id_pk" PRIMARY KEY("tenant_id","import_id")
);
--> statement-breakpoint
ALTER TABLE "memory_imports" ADD CONSTRAINT "memory_imports_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "memory_imports" ADD CONSTRAINT "memory_imports_tenant_id_content_id_memory_contents_tenant_id_content_id_fk" FOREIGN KEY ("tenant_id","content_id") REFERENCES "public"."memory_contents"("tenant_id","content_id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "memory_imports_created_at_idx" ON "memory_imports" USING btree ("tenant_id","created_at","import_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "memory_imports_running_key" ON "memory_imports" USING btree ("tenant_id","set_name") WHERE status = 'running';
--> statement-breakpoint
CREATE INDEX "memory_imports_content_id_idx" ON "memory_imports" USING btree ("tenant_id","content_id") WHERE content_id is not null;
--> statement-breakpoint
CREATE SEQUENCE "public"."memory_segment_no" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;
--> statement-breakpoint
CREATE TABLE "memory_segments" (
	"tenant_id" text collate "C" NOT NULL,
	"content_id" text collate "C" NOT NULL,
	"segment_no" bigint DEFAULT nextval('memory_segment_no') NOT NULL,
	"source_hash" "bytea" NOT NULL,
	"source_text" text NOT NULL,
	"target_text" text NOT NULL,
	"tuid" text,
	"changed_at" timestamp (0) with time zone,
	"shard_no" integer,
	"job_id" text collate "C"
);
--> statement-breakpoint
CREATE INDEX "memory_segments_source_hash_idx" ON "memory_segments" USING btree ("tenant_id","source_hash");
--> statement-breakpoint
CREATE INDEX "memory_segments_job_id_idx" ON "memory_segments" USING btree ("tenant_id","job_id") WHERE job_id is not null;
--> statement-breakpoint
ALTER TABLE "memory_segments" ADD CONSTRAINT "memory_segments_content_id_tenant_id_segment_no_pk" PRIMARY KEY("content_id","tenant_id","segment_no");
--> statement-breakpoint
CREATE INDEX "memory_segments_unindexed_idx" ON "memory_segments" USING btree ("tenant_id","content_id","shard_no") WHERE shard_no is null or shard_no < 0;
--> statement-breakpoint
-- Instead of a foreign key with ON DELETE CASCADE: checking the key for each inserted row took about a sixth of an import.
create function delete_segments_of_content() returns trigger language plpgsql as $$
begin
  delete from memory_segments where tenant_id = old.tenant_id and content_id = old.content_id;
  return null;
end
$$;
--> statement-breakpoint
create trigger delete_segments after delete on memory_contents
  for each row execute function delete_segments_of_content();
--> statement-breakpoint
CREATE TABLE "memory_shards" (
	"tenant_id" text collate "C" NOT NULL,
	"content_id" text collate "C" NOT NULL,
	"shard_no" integer NOT NULL,
	"segments" integer NOT NULL,
	"length_marks" "bytea" NOT NULL,
	"segment_nos" "bytea" NOT NULL,
	CONSTRAINT "memory_shards_tenant_id_content_id_shard_no_pk" PRIMARY KEY("tenant_id","content_id","shard_no")
);
--> statement-breakpoint
ALTER TABLE "memory_shards" ADD CONSTRAINT "memory_shards_tenant_id_content_id_memory_contents_tenant_id_content_id_fk" FOREIGN KEY ("tenant_id","content_id") REFERENCES "public"."memory_contents"("tenant_id","content_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
-- Lookups read a few bytes of it: not compressed.
alter table memory_shards alter column segment_nos set storage external;
--> statement-breakpoint
CREATE TABLE "memory_postings" (
	"tenant_id" text collate "C" NOT NULL,
	"content_id" text collate "C" NOT NULL,
	"shard_no" integer NOT NULL,
	"bucket" integer NOT NULL,
	"count" integer NOT NULL,
	"ordinals" "bytea" NOT NULL,
	CONSTRAINT "memory_postings_tenant_id_content_id_shard_no_bucket_pk" PRIMARY KEY("tenant_id","content_id","shard_no","bucket")
);
--> statement-breakpoint
-- Packed already: compression costs time and saves nothing.
alter table memory_postings alter column ordinals set storage external;
--> statement-breakpoint
-- Instead of a foreign key, which would look the shard up for each of its 16,000 lists. Only the transaction that writes a shard
-- writes its lists.
create function delete_postings_of_shards() returns trigger language plpgsql as $$
begin
  delete from memory_postings p using gone
  where p.tenant_id = gone.tenant_id and p.content_id = gone.content_id and p.shard_no = gone.shard_no;
  return null;
end
$$;
--> statement-breakpoint
create trigger delete_postings after delete on memory_shards
  referencing old table as gone for each statement execute function delete_postings_of_shards();
--> statement-breakpoint
CREATE TABLE "memory_pair_shards" (
	"tenant_id" text collate "C" NOT NULL,
	"pair_source" text collate "C" NOT NULL,
	"pair_target" text collate "C" NOT NULL,
	"shard_no" integer NOT NULL,
	"segments" integer NOT NULL,
	"length_marks" "bytea" NOT NULL,
	"segment_nos" "bytea" NOT NULL,
	"contents" jsonb NOT NULL,
	"content_places" "bytea" NOT NULL,
	CONSTRAINT "memory_pair_shards_tenant_id_pair_source_pair_target_shard_no_pk" PRIMARY KEY("tenant_id","pair_source","pair_target","shard_no")
);
--> statement-breakpoint
ALTER TABLE "memory_pair_shards" ADD CONSTRAINT "memory_pair_shards_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
-- Lookups read a few bytes of each.
alter table memory_pair_shards alter column segment_nos set storage external;
--> statement-breakpoint
alter table memory_pair_shards alter column content_places set storage external;
--> statement-breakpoint
CREATE TABLE "memory_pair_postings" (
	"tenant_id" text collate "C" NOT NULL,
	"pair_source" text collate "C" NOT NULL,
	"pair_target" text collate "C" NOT NULL,
	"shard_no" integer NOT NULL,
	"bucket" integer NOT NULL,
	"count" integer NOT NULL,
	"ordinals" "bytea" NOT NULL,
	CONSTRAINT "memory_pair_postings_tenant_id_pair_source_pair_target_shard_no_bucket_pk" PRIMARY KEY("tenant_id","pair_source","pair_target","shard_no","bucket")
);
--> statement-breakpoint
alter table memory_pair_postings alter column ordinals set storage external;
--> statement-breakpoint
create function delete_postings_of_pair_shards() returns trigger language plpgsql as $$
begin
  delete from memory_pair_postings p using gone
  where p.tenant_id = gone.tenant_id and p.pair_source = gone.pair_source and p.pair_target = gone.pair_target
    and p.shard_no = gone.shard_no;
  return null;
end
$$;
--> statement-breakpoint
create trigger delete_pair_postings after delete on memory_pair_shards
  referencing old table as gone for each statement execute function delete_postings_of_pair_shards();
--> statement-breakpoint
CREATE TABLE "memory_vectors" (
	"tenant_id" text collate "C" NOT NULL,
	"content_id" text collate "C" NOT NULL,
	"block_no" bigint NOT NULL,
	"segment_nos" bigint[] NOT NULL,
	"codes" "bytea" NOT NULL,
	"vectors" "bytea" NOT NULL,
	CONSTRAINT "memory_vectors_tenant_id_content_id_block_no_pk" PRIMARY KEY("tenant_id","content_id","block_no")
);
--> statement-breakpoint
ALTER TABLE "memory_vectors" ADD CONSTRAINT "memory_vectors_tenant_id_content_id_memory_contents_tenant_id_content_id_fk" FOREIGN KEY ("tenant_id","content_id") REFERENCES "public"."memory_contents"("tenant_id","content_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
-- Signs and rounded components do not compress, and a lookup reads single vectors of a block.
alter table memory_vectors alter column codes set storage external;
--> statement-breakpoint
alter table memory_vectors alter column vectors set storage external;
--> statement-breakpoint
CREATE TABLE "worker_heartbeats" (
	"worker_id" text collate "C" PRIMARY KEY NOT NULL,
	"seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
-- Autovacuum. By default PostgreSQL vacuums a table when a fifth of it is dead, and analyzes it when a tenth has changed. Each job is
-- updated once, and a backup's snapshot keeps dead rows visible to every scan until they are vacuumed.
alter table translation_jobs set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.02);
--> statement-breakpoint
alter table usage_records set (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
--> statement-breakpoint
alter table usage_totals set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
--> statement-breakpoint
alter table tokens set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
--> statement-breakpoint
alter table credential_directory set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
--> statement-breakpoint
alter table memory_segments set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
