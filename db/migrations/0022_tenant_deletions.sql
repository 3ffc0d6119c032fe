CREATE TABLE "tenant_deletions" (
	"tenant_id" text collate "C" PRIMARY KEY NOT NULL,
	"scheduled_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"was_active" boolean NOT NULL,
	"tenant_created_at" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"progress" jsonb NOT NULL
);
--> statement-breakpoint
CREATE INDEX "tenant_deletions_due_idx" ON "tenant_deletions" USING btree ("due_at") WHERE finished_at is null;
--> statement-breakpoint
select protect_tenant_table('tenant_deletions');
