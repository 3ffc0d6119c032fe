CREATE TABLE "review_openings" (
	"tenant_id" text collate "C" NOT NULL,
	"user_id" text collate "C" NOT NULL,
	"item_kind" text NOT NULL,
	"item_id" text collate "C" NOT NULL,
	"opened_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "review_openings_tenant_id_user_id_item_kind_item_id_pk" PRIMARY KEY("tenant_id","user_id","item_kind","item_id")
);
--> statement-breakpoint
ALTER TABLE "document_jobs" ADD COLUMN "approved_by_user" text collate "C";--> statement-breakpoint
ALTER TABLE "document_jobs" ADD COLUMN "reopenings" integer;--> statement-breakpoint
ALTER TABLE "document_segments" ADD COLUMN "confirmed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "document_segments" ADD COLUMN "confirmed_by" text;--> statement-breakpoint
ALTER TABLE "translation_jobs" ADD COLUMN "decided_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "translation_jobs" ADD COLUMN "decided_by" text collate "C";--> statement-breakpoint
ALTER TABLE "translation_jobs" ADD COLUMN "replaced_text" text;--> statement-breakpoint
ALTER TABLE "review_openings" ADD CONSTRAINT "review_openings_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "review_openings_opened_at_idx" ON "review_openings" USING btree ("opened_at");
--> statement-breakpoint
select protect_tenant_table('review_openings');
