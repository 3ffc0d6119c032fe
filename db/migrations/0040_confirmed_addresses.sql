ALTER TABLE "users" ADD COLUMN "email_confirmed_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "users_confirmed_accounts_idx" ON "users" USING btree ("email","created_at") WHERE provider = 'email' and active and email_confirmed_at is not null;
