CREATE TABLE "memory_vectors" (
	"tenant_id" text collate "C" NOT NULL,
	"set_id" text collate "C" NOT NULL,
	"block_no" bigint NOT NULL,
	"pair_source" text collate "C" NOT NULL,
	"pair_target" text collate "C" NOT NULL,
	"segment_nos" bigint[] NOT NULL,
	"codes" "bytea" NOT NULL,
	"vectors" "bytea" NOT NULL,
	CONSTRAINT "memory_vectors_tenant_id_set_id_block_no_pk" PRIMARY KEY("tenant_id","set_id","block_no")
);
--> statement-breakpoint
ALTER TABLE "memory_import_parts" ADD COLUMN "vectors" text;--> statement-breakpoint
ALTER TABLE "memory_imports" ADD COLUMN "embedding_model" text;--> statement-breakpoint
ALTER TABLE "memory_vectors" ADD CONSTRAINT "memory_vectors_tenant_id_set_id_memory_sets_tenant_id_set_id_fk" FOREIGN KEY ("tenant_id","set_id") REFERENCES "public"."memory_sets"("tenant_id","set_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "memory_vectors_pair_idx" ON "memory_vectors" USING btree ("tenant_id","pair_source","pair_target");--> statement-breakpoint
-- Signs and rounded components do not compress, and a lookup takes single vectors out of a block.
alter table memory_vectors alter column codes set storage external;
--> statement-breakpoint
alter table memory_vectors alter column vectors set storage external;
--> statement-breakpoint
alter table memory_import_parts alter column vectors set storage external;
--> statement-breakpoint
select protect_tenant_table('memory_vectors');
