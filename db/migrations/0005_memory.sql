CREATE SEQUENCE "public"."memory_segment_no" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
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
CREATE TABLE "memory_import_parts" (
	"tenant_id" text collate "C" NOT NULL,
	"import_id" text collate "C" NOT NULL,
	"part_no" integer NOT NULL,
	"rows" text NOT NULL,
	CONSTRAINT "memory_import_parts_tenant_id_import_id_part_no_pk" PRIMARY KEY("tenant_id","import_id","part_no")
);
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
	"attempts" integer DEFAULT 0 NOT NULL,
	"error" text,
	"result" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "memory_imports_tenant_id_import_id_pk" PRIMARY KEY("tenant_id","import_id")
);
--> statement-breakpoint
CREATE TABLE "memory_postings" (
	"tenant_id" text collate "C" NOT NULL,
	"set_id" text collate "C" NOT NULL,
	"shard_no" integer NOT NULL,
	"bucket" integer NOT NULL,
	"count" integer NOT NULL,
	"ordinals" "bytea" NOT NULL,
	CONSTRAINT "memory_postings_tenant_id_set_id_shard_no_bucket_pk" PRIMARY KEY("tenant_id","set_id","shard_no","bucket")
);
--> statement-breakpoint
CREATE TABLE "memory_segments" (
	"tenant_id" text collate "C" NOT NULL,
	"set_id" text collate "C" NOT NULL,
	"segment_no" bigint DEFAULT nextval('memory_segment_no') NOT NULL,
	"pair_source" text collate "C" NOT NULL,
	"pair_target" text collate "C" NOT NULL,
	"source_hash" "bytea" NOT NULL,
	"source_text" text NOT NULL,
	"target_text" text NOT NULL,
	"tuid" text,
	"changed_at" timestamp (0) with time zone,
	"shard_no" integer,
	"ordinal" integer,
	"job_id" text collate "C",
	CONSTRAINT "memory_segments_tenant_id_set_id_segment_no_pk" PRIMARY KEY("tenant_id","set_id","segment_no")
);
--> statement-breakpoint
CREATE TABLE "memory_sets" (
	"tenant_id" text collate "C" NOT NULL,
	"set_id" text collate "C" NOT NULL,
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
CREATE TABLE "memory_shards" (
	"tenant_id" text collate "C" NOT NULL,
	"set_id" text collate "C" NOT NULL,
	"shard_no" integer NOT NULL,
	"pair_source" text collate "C" NOT NULL,
	"pair_target" text collate "C" NOT NULL,
	"segments" integer NOT NULL,
	"length_marks" "bytea" NOT NULL,
	CONSTRAINT "memory_shards_tenant_id_set_id_shard_no_pk" PRIMARY KEY("tenant_id","set_id","shard_no")
);
--> statement-breakpoint
ALTER TABLE "terminology_entries" ADD CONSTRAINT "terminology_entries_tenant_id_set_id_terminology_sets_tenant_id_set_id_fk" FOREIGN KEY ("tenant_id","set_id") REFERENCES "public"."terminology_sets"("tenant_id","set_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "terminology_sets" ADD CONSTRAINT "terminology_sets_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_import_parts" ADD CONSTRAINT "memory_import_parts_tenant_id_import_id_memory_imports_tenant_id_import_id_fk" FOREIGN KEY ("tenant_id","import_id") REFERENCES "public"."memory_imports"("tenant_id","import_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_imports" ADD CONSTRAINT "memory_imports_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_postings" ADD CONSTRAINT "memory_postings_tenant_id_set_id_shard_no_memory_shards_tenant_id_set_id_shard_no_fk" FOREIGN KEY ("tenant_id","set_id","shard_no") REFERENCES "public"."memory_shards"("tenant_id","set_id","shard_no") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_segments" ADD CONSTRAINT "memory_segments_tenant_id_set_id_memory_sets_tenant_id_set_id_fk" FOREIGN KEY ("tenant_id","set_id") REFERENCES "public"."memory_sets"("tenant_id","set_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_sets" ADD CONSTRAINT "memory_sets_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_shards" ADD CONSTRAINT "memory_shards_tenant_id_set_id_memory_sets_tenant_id_set_id_fk" FOREIGN KEY ("tenant_id","set_id") REFERENCES "public"."memory_sets"("tenant_id","set_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "terminology_entries_languages_idx" ON "terminology_entries" USING btree ("tenant_id","source_lang","target_lang");--> statement-breakpoint
CREATE UNIQUE INDEX "terminology_sets_tenant_id_name_key" ON "terminology_sets" USING btree ("tenant_id","name");--> statement-breakpoint
CREATE INDEX "memory_imports_created_at_idx" ON "memory_imports" USING btree ("tenant_id","created_at","import_id");--> statement-breakpoint
CREATE UNIQUE INDEX "memory_imports_running_key" ON "memory_imports" USING btree ("tenant_id","set_name") WHERE status = 'running';--> statement-breakpoint
CREATE INDEX "memory_segments_source_hash_idx" ON "memory_segments" USING btree ("tenant_id","source_hash");--> statement-breakpoint
CREATE INDEX "memory_segments_ordinal_idx" ON "memory_segments" USING btree ("tenant_id","set_id","shard_no","ordinal") WHERE shard_no >= 0;--> statement-breakpoint
CREATE INDEX "memory_segments_unindexed_idx" ON "memory_segments" USING btree ("tenant_id","pair_source","pair_target") WHERE shard_no is null;--> statement-breakpoint
CREATE INDEX "memory_segments_job_id_idx" ON "memory_segments" USING btree ("tenant_id","job_id") WHERE job_id is not null;--> statement-breakpoint
ALTER TABLE "translation_jobs" ADD COLUMN "pipeline_metadata" jsonb;--> statement-breakpoint
CREATE UNIQUE INDEX "memory_sets_tenant_id_name_key" ON "memory_sets" USING btree ("tenant_id","name");--> statement-breakpoint
CREATE INDEX "memory_sets_pair_idx" ON "memory_sets" USING btree ("tenant_id","pair_source","pair_target");--> statement-breakpoint
CREATE INDEX "memory_shards_pair_idx" ON "memory_shards" USING btree ("tenant_id","pair_source","pair_target");
--> statement-breakpoint
-- Packed already: compressing them again costs time and saves nothing.
alter table memory_postings alter column ordinals set storage external;
--> statement-breakpoint
-- Written once, read once.
alter table memory_import_parts alter column rows set storage external;
--> statement-breakpoint
select protect_tenant_table('terminology_sets');
--> statement-breakpoint
select protect_tenant_table('terminology_entries');
--> statement-breakpoint
select protect_tenant_table('memory_sets');
--> statement-breakpoint
select protect_tenant_table('memory_segments');
--> statement-breakpoint
select protect_tenant_table('memory_shards');
--> statement-breakpoint
select protect_tenant_table('memory_postings');
--> statement-breakpoint
select protect_tenant_table('memory_imports');
--> statement-breakpoint
select protect_tenant_table('memory_import_parts');
