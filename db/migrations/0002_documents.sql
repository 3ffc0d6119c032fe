CREATE TABLE "document_artifacts" (
	"tenant_id" text collate "C" NOT NULL,
	"artifact_id" text collate "C" NOT NULL,
	"document_id" text collate "C" NOT NULL,
	"kind" text NOT NULL,
	"revision" integer NOT NULL,
	"content_type" text NOT NULL,
	"size_bytes" integer NOT NULL,
	"sha256" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "document_artifacts_tenant_id_artifact_id_pk" PRIMARY KEY("tenant_id","artifact_id")
);
--> statement-breakpoint
CREATE TABLE "document_jobs" (
	"tenant_id" text collate "C" NOT NULL,
	"document_id" text collate "C" NOT NULL,
	"status" text NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"running" boolean DEFAULT false NOT NULL,
	"interruptions" smallint DEFAULT 0 NOT NULL,
	"idempotency_key" text,
	"reserved_chars" bigint DEFAULT 0 NOT NULL,
	"draws_topup" boolean DEFAULT false NOT NULL,
	"request" jsonb NOT NULL,
	"source_file_name" text NOT NULL,
	"source_format" text NOT NULL,
	"stage" text DEFAULT 'ingest' NOT NULL,
	"stage_timings" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"page_count" integer,
	"source_chars" integer DEFAULT 0 NOT NULL,
	"segments" integer DEFAULT 0 NOT NULL,
	"translated_segments" integer DEFAULT 0 NOT NULL,
	"report_figures" jsonb,
	"extract_findings" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"rebuild_findings" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"review_lease_until" timestamp (3) with time zone,
	"review_history" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"approved_at" timestamp (3) with time zone,
	"approved_by" text,
	"feed_manifest" jsonb,
	"failure" jsonb,
	"input_tokens" integer DEFAULT 0 NOT NULL,
	"output_tokens" integer DEFAULT 0 NOT NULL,
	"models" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "document_jobs_tenant_id_document_id_pk" PRIMARY KEY("tenant_id","document_id")
);
--> statement-breakpoint
CREATE TABLE "document_segments" (
	"tenant_id" text collate "C" NOT NULL,
	"document_id" text collate "C" NOT NULL,
	"position" integer NOT NULL,
	"region_id" text NOT NULL,
	"cell_id" text,
	"kind" text NOT NULL,
	"page" integer,
	"place" text NOT NULL,
	"source_key" "bytea" NOT NULL,
	"source" jsonb NOT NULL,
	"source_text" text NOT NULL,
	"target" jsonb,
	"target_text" text,
	"score" integer,
	"needs_review" boolean DEFAULT false NOT NULL,
	"issues" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"fast_path" text,
	"provenance" jsonb,
	"corrected" boolean DEFAULT false NOT NULL,
	CONSTRAINT "document_segments_tenant_id_document_id_position_pk" PRIMARY KEY("tenant_id","document_id","position")
);
--> statement-breakpoint
ALTER TABLE "document_artifacts" ADD CONSTRAINT "document_artifacts_tenant_id_document_id_document_jobs_tenant_id_document_id_fk" FOREIGN KEY ("tenant_id","document_id") REFERENCES "public"."document_jobs"("tenant_id","document_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "document_jobs" ADD CONSTRAINT "document_jobs_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "document_segments" ADD CONSTRAINT "document_segments_tenant_id_document_id_document_jobs_tenant_id_document_id_fk" FOREIGN KEY ("tenant_id","document_id") REFERENCES "public"."document_jobs"("tenant_id","document_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "document_artifacts_revision_key" ON "document_artifacts" USING btree ("tenant_id","document_id","kind","revision");--> statement-breakpoint
CREATE UNIQUE INDEX "document_jobs_tenant_id_idempotency_key_key" ON "document_jobs" USING btree ("tenant_id","idempotency_key") WHERE idempotency_key is not null;--> statement-breakpoint
CREATE INDEX "document_jobs_tenant_id_updated_at_idx" ON "document_jobs" USING btree ("tenant_id","updated_at","document_id");--> statement-breakpoint
CREATE INDEX "document_jobs_unfinished_idx" ON "document_jobs" USING btree ("tenant_id","updated_at") WHERE status in ('queued', 'extracted');--> statement-breakpoint
CREATE INDEX "document_segments_flagged_idx" ON "document_segments" USING btree ("tenant_id","document_id","position") WHERE needs_review;
--> statement-breakpoint
select protect_tenant_table('document_jobs');
--> statement-breakpoint
select protect_tenant_table('document_segments');
--> statement-breakpoint
select protect_tenant_table('document_artifacts');
--> statement-breakpoint
-- A document reserves its characters from the stage `admit` on. Its idempotency key is not one of text jobs.
create or replace view work_in_flight with (security_invoker = true) as
  select tenant_id, idempotency_key, updated_at, reserved_chars as chars, reserved_rest_chars as rest_chars
  from translation_jobs where status = 'pending'
  union all
  select tenant_id, null, updated_at, reserved_chars, 0::bigint
  from document_jobs where status in ('queued', 'extracted');
