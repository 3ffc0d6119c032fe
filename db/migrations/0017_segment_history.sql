CREATE TABLE "segment_events" (
	"tenant_id" text collate "C" NOT NULL,
	"event_id" text collate "C" NOT NULL,
	"document_id" text collate "C" NOT NULL,
	"position" integer NOT NULL,
	"change_id" text collate "C" NOT NULL,
	"kind" text NOT NULL,
	"user_id" text collate "C",
	"actor" text,
	"target_text" text,
	"before" jsonb,
	"reason" jsonb,
	"undone_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "segment_events_tenant_id_event_id_pk" PRIMARY KEY("tenant_id","event_id")
);
--> statement-breakpoint
CREATE TABLE "review_comments" (
	"tenant_id" text collate "C" NOT NULL,
	"comment_id" text collate "C" NOT NULL,
	"item_kind" text NOT NULL,
	"item_id" text collate "C" NOT NULL,
	"position" integer,
	"user_id" text collate "C" NOT NULL,
	"author" text NOT NULL,
	"body" text NOT NULL,
	"mentions" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "review_comments_tenant_id_comment_id_pk" PRIMARY KEY("tenant_id","comment_id")
);
--> statement-breakpoint
ALTER TABLE "document_jobs" ADD COLUMN "edits" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "document_jobs" ADD COLUMN "rendered_edits" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "review_claims" ADD COLUMN "position" integer;--> statement-breakpoint
ALTER TABLE "segment_events" ADD CONSTRAINT "segment_events_tenant_id_document_id_document_jobs_tenant_id_document_id_fk" FOREIGN KEY ("tenant_id","document_id") REFERENCES "public"."document_jobs"("tenant_id","document_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "review_comments" ADD CONSTRAINT "review_comments_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "segment_events_segment_idx" ON "segment_events" USING btree ("tenant_id","document_id","position","created_at");--> statement-breakpoint
CREATE INDEX "segment_events_change_idx" ON "segment_events" USING btree ("tenant_id","document_id","change_id");--> statement-breakpoint
CREATE INDEX "review_comments_item_idx" ON "review_comments" USING btree ("tenant_id","item_kind","item_id","position","created_at");--> statement-breakpoint
select protect_tenant_table('segment_events');
--> statement-breakpoint
select protect_tenant_table('review_comments');
