CREATE TABLE "parked_job_replays" (
	"tenant_id" text collate "C" NOT NULL,
	"replay_id" text collate "C" NOT NULL,
	"parked" integer NOT NULL,
	"published" integer DEFAULT 0 NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	"ended" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "parked_job_replays_tenant_id_replay_id_pk" PRIMARY KEY("tenant_id","replay_id")
);
--> statement-breakpoint
CREATE TABLE "storage_bindings" (
	"tenant_id" text collate "C" PRIMARY KEY NOT NULL,
	"account_url" text NOT NULL,
	"filesystem" text NOT NULL,
	"auth_mode" text NOT NULL,
	"secret" "bytea",
	"secret_key_id" text,
	"documents_prefix" text NOT NULL,
	"golden_prefix" text NOT NULL,
	"terminology_prefix" text NOT NULL,
	"status" text NOT NULL,
	"last_error" text,
	"revision" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_by" text,
	"last_verified_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "storage_totals" (
	"tenant_id" text collate "C" PRIMARY KEY NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"objects" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "document_artifacts" ADD COLUMN "address" text;--> statement-breakpoint
ALTER TABLE "parked_job_replays" ADD CONSTRAINT "parked_job_replays_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "storage_bindings" ADD CONSTRAINT "storage_bindings_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "storage_totals" ADD CONSTRAINT "storage_totals_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
select protect_tenant_table('storage_bindings');
--> statement-breakpoint
select protect_tenant_table('parked_job_replays');
--> statement-breakpoint
select protect_tenant_table('storage_totals');
--> statement-breakpoint
-- The totals follow the files' rows, whoever writes them. A tenant's own account does not count.
create function count_artifact() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into storage_totals as t (tenant_id, bytes, objects) values (new.tenant_id, new.size_bytes, 1)
    on conflict (tenant_id) do update set bytes = t.bytes + new.size_bytes, objects = t.objects + 1;
  else
    update storage_totals set bytes = bytes - old.size_bytes, objects = objects - 1 where tenant_id = old.tenant_id;
  end if;
  return null;
end
$$;
--> statement-breakpoint
create trigger count_inserted after insert on document_artifacts
  for each row when (new.address is null) execute function count_artifact();
--> statement-breakpoint
create trigger count_deleted after delete on document_artifacts
  for each row when (old.address is null) execute function count_artifact();
--> statement-breakpoint
insert into storage_totals (tenant_id, bytes, objects)
  select tenant_id, sum(size_bytes), count(*) from document_artifacts group by tenant_id;

--> statement-breakpoint
-- Text jobs whose golden record could not be written (B 3.1), for those who change the storage.
create view parked_jobs with (security_invoker = true) as
  select tenant_id, updated_at from translation_jobs where status = 'persistence_failed';
