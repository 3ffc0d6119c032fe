-- A family remembers when it began and whether a second factor was passed in it. Of families from before nobody knows
-- either: they count from now on, and as without one, so that where a second factor is asked for they end at their next
-- refresh. Defaults, not updates: no row is rewritten, and a process of the version before may go on writing rows.
ALTER TABLE "tokens" ADD COLUMN "family_began_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "second_factor" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- A column of the tenant's row, which every admission reads anyway.
ALTER TABLE "tenants" ADD COLUMN "failed_runs_until" timestamp (3) with time zone;
