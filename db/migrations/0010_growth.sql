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
ALTER TABLE "memory_pair_shards" ADD CONSTRAINT "memory_pair_shards_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "memory_imports_content_id_idx" ON "memory_imports" USING btree ("tenant_id","content_id") WHERE content_id is not null;--> statement-breakpoint
-- The index of the jobs' status is built by db/large-indexes.ts, beside the writers, and that of the totals by day dropped there.
select protect_tenant_table('usage_days');
--> statement-breakpoint
-- Rows of all tenants together. Not of an empty id: that is the scope of whoever presents an unknown credential.
alter table usage_days add constraint usage_days_tenant_id_check check (tenant_id = '*');
--> statement-breakpoint
select protect_tenant_table('memory_pair_shards');
--> statement-breakpoint
select protect_tenant_table('memory_pair_postings');
--> statement-breakpoint
-- Packed already; and a lookup takes single numbers out of them.
alter table memory_pair_postings alter column ordinals set storage external;
--> statement-breakpoint
alter table memory_pair_shards alter column segment_nos set storage external;
--> statement-breakpoint
alter table memory_pair_shards alter column content_places set storage external;
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
-- By default a fifth of a table is dead before it is vacuumed, and a tenth changed before it is analyzed: of a million jobs
-- each becomes an updated row once, and a backup's snapshot leaves what is dead to every scan until then.
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
