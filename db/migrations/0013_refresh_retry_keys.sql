ALTER TABLE "tokens" ADD COLUMN "retry_key_hash" "bytea";--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "issued_for" "bytea";