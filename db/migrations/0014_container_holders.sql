ALTER TABLE "storage_bindings" ADD COLUMN "held_since" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "storage_bindings_container_idx" ON "storage_bindings" USING btree ("account_url","filesystem");
--> statement-breakpoint
-- Where two workspaces share a container today, both keep it until its owner names one.
update storage_bindings set held_since = last_verified_at where last_verified_at is not null;
