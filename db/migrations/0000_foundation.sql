CREATE TABLE "credential_directory" (
	"credential_hash" "bytea" PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"expires_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "tokens" (
	"tenant_id" text collate "C" NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"kind" text NOT NULL,
	"user_id" text collate "C" NOT NULL,
	"scope" text NOT NULL,
	"role" text NOT NULL,
	"issued_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "tokens_tenant_id_token_hash_pk" PRIMARY KEY("tenant_id","token_hash")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"tenant_id" text collate "C" NOT NULL,
	"user_id" text collate "C" NOT NULL,
	"email" text NOT NULL,
	"provider" text NOT NULL,
	"role" text NOT NULL,
	"password_hash" text,
	"active" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "users_tenant_id_user_id_pk" PRIMARY KEY("tenant_id","user_id"),
	CONSTRAINT "users_tenant_id_email_key" UNIQUE("tenant_id","email")
);
--> statement-breakpoint
CREATE TABLE "usage_records" (
	"tenant_id" text collate "C" NOT NULL,
	"job_id" text collate "C" NOT NULL,
	"kind" text NOT NULL,
	"billing_period" text NOT NULL,
	"source_lang" text NOT NULL,
	"target_lang" text NOT NULL,
	"source_chars" integer NOT NULL,
	"billable_chars" integer NOT NULL,
	"job_status" text NOT NULL,
	"fast_path" text,
	"input_tokens" integer DEFAULT 0 NOT NULL,
	"output_tokens" integer DEFAULT 0 NOT NULL,
	"total_tokens" integer DEFAULT 0 NOT NULL,
	"models" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"recorded_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "usage_records_tenant_id_job_id_pk" PRIMARY KEY("tenant_id","job_id")
);
--> statement-breakpoint
CREATE TABLE "tenants" (
	"tenant_id" text collate "C" PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"api_key_prefix" text NOT NULL,
	"monthly_char_limit" integer NOT NULL,
	"active" boolean DEFAULT true NOT NULL,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "translation_jobs" (
	"tenant_id" text collate "C" NOT NULL,
	"job_id" text collate "C" NOT NULL,
	"status" text NOT NULL,
	"attempt" integer DEFAULT 1 NOT NULL,
	"idempotency_key" text,
	"request" jsonb NOT NULL,
	"baseline_translation" text,
	"final_translation" text,
	"quality_assessment" jsonb,
	"refinement" jsonb,
	"verification" jsonb,
	"agent_run" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "translation_jobs_tenant_id_job_id_pk" PRIMARY KEY("tenant_id","job_id"),
	CONSTRAINT "translation_jobs_tenant_id_idempotency_key_key" UNIQUE("tenant_id","idempotency_key")
);
--> statement-breakpoint
CREATE TABLE "worker_heartbeats" (
	"worker_id" text collate "C" PRIMARY KEY NOT NULL,
	"seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_tenant_id_user_id_users_tenant_id_user_id_fk" FOREIGN KEY ("tenant_id","user_id") REFERENCES "public"."users"("tenant_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage_records" ADD CONSTRAINT "usage_records_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "translation_jobs" ADD CONSTRAINT "translation_jobs_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "credential_directory_tenant_id_idx" ON "credential_directory" USING btree ("tenant_id");--> statement-breakpoint
CREATE INDEX "credential_directory_expires_at_idx" ON "credential_directory" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "tokens_tenant_id_user_id_idx" ON "tokens" USING btree ("tenant_id","user_id");--> statement-breakpoint
CREATE INDEX "usage_records_tenant_id_recorded_at_idx" ON "usage_records" USING btree ("tenant_id","recorded_at");--> statement-breakpoint
CREATE INDEX "translation_jobs_tenant_id_updated_at_idx" ON "translation_jobs" USING btree ("tenant_id","updated_at","job_id");--> statement-breakpoint
CREATE INDEX "translation_jobs_pending_idx" ON "translation_jobs" USING btree ("updated_at") WHERE status = 'pending';