CREATE TABLE "audit_log" (
	"tenant_id" text collate "C" NOT NULL,
	"event_id" text collate "C" NOT NULL,
	"recorded_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"action" text NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"target" text,
	"address" text,
	"request_id" text,
	"details" jsonb DEFAULT '{}'::jsonb NOT NULL,
	CONSTRAINT "audit_log_tenant_id_event_id_pk" PRIMARY KEY("tenant_id","event_id")
);
--> statement-breakpoint
CREATE TABLE "invites" (
	"tenant_id" text collate "C" NOT NULL,
	"invite_id" text collate "C" NOT NULL,
	"secret_hash" "bytea" NOT NULL,
	"email" text,
	"role" text NOT NULL,
	"created_by" text NOT NULL,
	"by_operator" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"redeemed_at" timestamp (3) with time zone,
	"redeemed_by" text,
	"withdrawn_at" timestamp (3) with time zone,
	CONSTRAINT "invites_tenant_id_invite_id_pk" PRIMARY KEY("tenant_id","invite_id"),
	CONSTRAINT "invites_tenant_id_secret_hash_key" UNIQUE("tenant_id","secret_hash")
);
--> statement-breakpoint
CREATE TABLE "mfa_challenges" (
	"tenant_id" text collate "C" NOT NULL,
	"challenge_hash" "bytea" NOT NULL,
	"user_id" text collate "C" NOT NULL,
	"method" text NOT NULL,
	"scope" text NOT NULL,
	"codes_submitted" integer DEFAULT 0 NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "mfa_challenges_tenant_id_challenge_hash_pk" PRIMARY KEY("tenant_id","challenge_hash")
);
--> statement-breakpoint
CREATE UNLOGGED TABLE "rate_windows" (
	"bucket" text collate "C" NOT NULL,
	"subject" text collate "C" NOT NULL,
	"attempts" integer NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "rate_windows_bucket_subject_pk" PRIMARY KEY("bucket","subject")
);
--> statement-breakpoint
CREATE TABLE "recovery_codes" (
	"tenant_id" text collate "C" NOT NULL,
	"user_id" text collate "C" NOT NULL,
	"code_hash" "bytea" NOT NULL,
	CONSTRAINT "recovery_codes_tenant_id_user_id_code_hash_pk" PRIMARY KEY("tenant_id","user_id","code_hash")
);
--> statement-breakpoint
CREATE TABLE "reset_links" (
	"tenant_id" text collate "C" NOT NULL,
	"user_id" text collate "C" NOT NULL,
	"link_hash" "bytea" NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "reset_links_tenant_id_user_id_pk" PRIMARY KEY("tenant_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "sso_states" (
	"state_hash" "bytea" PRIMARY KEY NOT NULL,
	"sealed" "bytea" NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
DROP INDEX "tokens_tenant_id_user_id_idx";--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "family_id" text collate "C" DEFAULT gen_random_uuid()::text NOT NULL;--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "consumed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "provider_subject" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "totp_secret" "bytea";--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "totp_pending_secret" "bytea";--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "totp_last_step" integer;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "mfa_failed_at" timestamp (3) with time zone[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "organization" text GENERATED ALWAYS AS (metadata ->> 'oidc_org_id') STORED;--> statement-breakpoint
ALTER TABLE "invites" ADD CONSTRAINT "invites_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mfa_challenges" ADD CONSTRAINT "mfa_challenges_tenant_id_user_id_users_tenant_id_user_id_fk" FOREIGN KEY ("tenant_id","user_id") REFERENCES "public"."users"("tenant_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_tenant_id_user_id_users_tenant_id_user_id_fk" FOREIGN KEY ("tenant_id","user_id") REFERENCES "public"."users"("tenant_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reset_links" ADD CONSTRAINT "reset_links_tenant_id_user_id_users_tenant_id_user_id_fk" FOREIGN KEY ("tenant_id","user_id") REFERENCES "public"."users"("tenant_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_log_tenant_id_recorded_at_idx" ON "audit_log" USING btree ("tenant_id","recorded_at","event_id");--> statement-breakpoint
CREATE INDEX "audit_log_recorded_at_idx" ON "audit_log" USING btree ("recorded_at","event_id");--> statement-breakpoint
CREATE INDEX "invites_tenant_id_created_at_idx" ON "invites" USING btree ("tenant_id","created_at","invite_id");--> statement-breakpoint
CREATE INDEX "invites_open_idx" ON "invites" USING btree ("tenant_id","expires_at") WHERE redeemed_at is null and withdrawn_at is null;--> statement-breakpoint
CREATE INDEX "mfa_challenges_tenant_id_user_id_idx" ON "mfa_challenges" USING btree ("tenant_id","user_id");--> statement-breakpoint
CREATE INDEX "mfa_challenges_expires_at_idx" ON "mfa_challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "rate_windows_ends_at_idx" ON "rate_windows" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "reset_links_expires_at_idx" ON "reset_links" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sso_states_expires_at_idx" ON "sso_states" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "tokens_expires_at_idx" ON "tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "users_user_id_idx" ON "users" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "users_password_accounts_idx" ON "users" USING btree ("email","created_at") WHERE provider = 'email' and active;--> statement-breakpoint
CREATE INDEX "users_provider_subject_idx" ON "users" USING btree ("provider_subject") WHERE provider_subject is not null;--> statement-breakpoint
CREATE INDEX "tenants_organization_idx" ON "tenants" USING hash ("organization") WHERE organization is not null;--> statement-breakpoint
CREATE INDEX "tokens_tenant_id_user_id_idx" ON "tokens" USING btree ("tenant_id","user_id","family_id");--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_tenant_id_provider_subject_key" UNIQUE("tenant_id","provider_subject");
--> statement-breakpoint
-- Tokens from before families: those that were issued together, at one sign-in, are one. Migrations run in the platform's scope.
update tokens set family_id = md5(tenant_id || user_id || issued_at::text);
--> statement-breakpoint
select protect_tenant_table('mfa_challenges');
--> statement-breakpoint
select protect_tenant_table('recovery_codes');
--> statement-breakpoint
select protect_tenant_table('reset_links');
--> statement-breakpoint
select protect_tenant_table('invites');
--> statement-breakpoint
select protect_tenant_table('audit_log');
