CREATE TABLE "mail_preferences" (
	"tenant_id" text collate "C" NOT NULL,
	"user_id" text collate "C" NOT NULL,
	"digest" boolean DEFAULT true NOT NULL,
	"documents" boolean DEFAULT true NOT NULL,
	"language" text,
	CONSTRAINT "mail_preferences_tenant_id_user_id_pk" PRIMARY KEY("tenant_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "mails" (
	"tenant_id" text collate "C" NOT NULL,
	"mail_id" text collate "C" NOT NULL,
	"dedupe_key" text collate "C" NOT NULL,
	"kind" text NOT NULL,
	"user_id" text collate "C",
	"address" text,
	"language" text NOT NULL,
	"subject_id" text collate "C",
	"items" integer DEFAULT 0 NOT NULL,
	"failed_items" integer DEFAULT 0 NOT NULL,
	"sealed_token" "bytea",
	"state" text DEFAULT 'pending' NOT NULL,
	"reason" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"leased_until" timestamp (3) with time zone,
	"next_attempt_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "mails_tenant_id_mail_id_pk" PRIMARY KEY("tenant_id","mail_id"),
	CONSTRAINT "mails_tenant_id_dedupe_key_key" UNIQUE("tenant_id","dedupe_key")
);
--> statement-breakpoint
ALTER TABLE "mail_preferences" ADD CONSTRAINT "mail_preferences_tenant_id_user_id_users_tenant_id_user_id_fk" FOREIGN KEY ("tenant_id","user_id") REFERENCES "public"."users"("tenant_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mails" ADD CONSTRAINT "mails_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mails_tenant_id_user_id_idx" ON "mails" USING btree ("tenant_id","user_id","kind","ended_at");--> statement-breakpoint
CREATE INDEX "mails_pending_idx" ON "mails" USING btree ("next_attempt_at") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "mails_ended_at_idx" ON "mails" USING btree ("ended_at") WHERE ended_at is not null;--> statement-breakpoint
select protect_tenant_table('mails');
--> statement-breakpoint
select protect_tenant_table('mail_preferences');
