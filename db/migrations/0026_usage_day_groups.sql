CREATE TABLE "usage_day_groups" (
	"tenant_id" text collate "C" NOT NULL,
	"day" date NOT NULL,
	"kind" text NOT NULL,
	"source_lang" text NOT NULL,
	"target_lang" text NOT NULL,
	"served_from" text NOT NULL,
	"submitted_by" text collate "C" NOT NULL,
	"domain" text NOT NULL,
	"jobs" bigint DEFAULT 0 NOT NULL,
	"source_chars" bigint DEFAULT 0 NOT NULL,
	"billable_chars" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "usage_day_groups_pk" PRIMARY KEY("tenant_id","day","kind","source_lang","target_lang","served_from","submitted_by","domain")
);
--> statement-breakpoint
ALTER TABLE "tenant_retention" ADD COLUMN "usage_days" integer;--> statement-breakpoint
ALTER TABLE "tenant_retention" ADD COLUMN "invites_days" integer;--> statement-breakpoint
ALTER TABLE "usage_day_groups" ADD CONSTRAINT "usage_day_groups_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
select protect_tenant_table('usage_day_groups');
