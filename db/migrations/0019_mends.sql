CREATE TABLE "document_mends" (
	"tenant_id" text collate "C" NOT NULL,
	"document_id" text collate "C" NOT NULL,
	"mend_id" text collate "C" NOT NULL,
	"number" integer NOT NULL,
	"mend" jsonb NOT NULL,
	"replaced" jsonb NOT NULL,
	"made" jsonb NOT NULL,
	"rows" jsonb NOT NULL,
	"comments" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"user_id" text collate "C",
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"undone_at" timestamp (3) with time zone,
	CONSTRAINT "document_mends_tenant_id_mend_id_pk" PRIMARY KEY("tenant_id","mend_id")
);
--> statement-breakpoint
CREATE TABLE "page_templates" (
	"tenant_id" text collate "C" NOT NULL,
	"template_id" text collate "C" NOT NULL,
	"name" text NOT NULL,
	"is_on" boolean DEFAULT true NOT NULL,
	"template" jsonb NOT NULL,
	"document_id" text collate "C" NOT NULL,
	"page" integer NOT NULL,
	"user_id" text collate "C",
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"uses" integer DEFAULT 0 NOT NULL,
	"last_document_id" text collate "C",
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "page_templates_tenant_id_template_id_pk" PRIMARY KEY("tenant_id","template_id")
);
--> statement-breakpoint
ALTER TABLE "document_jobs" ADD COLUMN "mends" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "document_segments" ADD COLUMN "rank" double precision;--> statement-breakpoint
ALTER TABLE "document_mends" ADD CONSTRAINT "document_mends_tenant_id_document_id_document_jobs_tenant_id_document_id_fk" FOREIGN KEY ("tenant_id","document_id") REFERENCES "public"."document_jobs"("tenant_id","document_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "page_templates" ADD CONSTRAINT "page_templates_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "document_mends_document_idx" ON "document_mends" USING btree ("tenant_id","document_id","number");--> statement-breakpoint
select protect_tenant_table('document_mends');
--> statement-breakpoint
select protect_tenant_table('page_templates');
