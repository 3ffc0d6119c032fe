CREATE TABLE "review_days" (
	"tenant_id" text collate "C" NOT NULL,
	"day" date NOT NULL,
	"user_id" text collate "C" NOT NULL,
	"approved" integer DEFAULT 0 NOT NULL,
	"edited" integer DEFAULT 0 NOT NULL,
	"rejected" integer DEFAULT 0 NOT NULL,
	"measured" integer DEFAULT 0 NOT NULL,
	"words" bigint DEFAULT 0 NOT NULL,
	"edits" bigint DEFAULT 0 NOT NULL,
	"timed" integer DEFAULT 0 NOT NULL,
	"worked_ms" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "review_days_tenant_id_day_user_id_pk" PRIMARY KEY("tenant_id","day","user_id")
);
--> statement-breakpoint
ALTER TABLE "review_days" ADD CONSTRAINT "review_days_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
select protect_tenant_table('review_days');
