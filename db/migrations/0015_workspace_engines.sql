CREATE TABLE "workspace_engines" (
	"tenant_id" text collate "C" PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"secret" "bytea" NOT NULL,
	"key_end" text NOT NULL,
	"key_set_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"region" text,
	"model" text,
	"refiner_model" text,
	"concurrency" integer NOT NULL,
	"fallback" boolean NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "workspace_engines" ADD CONSTRAINT "workspace_engines_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
select protect_tenant_table('workspace_engines');
