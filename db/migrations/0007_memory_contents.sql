CREATE TABLE "memory_contents" (
	"tenant_id" text collate "C" NOT NULL,
	"content_id" text collate "C" NOT NULL,
	CONSTRAINT "memory_contents_tenant_id_content_id_pk" PRIMARY KEY("tenant_id","content_id")
);
--> statement-breakpoint
-- What each set holds so far is a content by the set's own id.
insert into memory_contents (tenant_id, content_id) select tenant_id, set_id from memory_sets;--> statement-breakpoint
-- Their rows were kept apart, and packed otherwise.
update memory_imports set status = 'failed', updated_at = now(),
  error = 'the service was updated while the import waited; nothing was imported, send the file again'
where status = 'running';--> statement-breakpoint
DROP TABLE "memory_import_parts" CASCADE;--> statement-breakpoint
ALTER TABLE "memory_postings" RENAME COLUMN "set_id" TO "content_id";--> statement-breakpoint
ALTER TABLE "memory_segments" RENAME COLUMN "set_id" TO "content_id";--> statement-breakpoint
ALTER TABLE "memory_shards" RENAME COLUMN "set_id" TO "content_id";--> statement-breakpoint
ALTER TABLE "memory_vectors" RENAME COLUMN "set_id" TO "content_id";--> statement-breakpoint
ALTER TABLE "memory_postings" DROP CONSTRAINT "memory_postings_tenant_id_set_id_shard_no_memory_shards_tenant_id_set_id_shard_no_fk";
--> statement-breakpoint
ALTER TABLE "memory_segments" DROP CONSTRAINT "memory_segments_tenant_id_set_id_memory_sets_tenant_id_set_id_fk";
--> statement-breakpoint
ALTER TABLE "memory_shards" DROP CONSTRAINT "memory_shards_tenant_id_set_id_memory_sets_tenant_id_set_id_fk";
--> statement-breakpoint
ALTER TABLE "memory_vectors" DROP CONSTRAINT "memory_vectors_tenant_id_set_id_memory_sets_tenant_id_set_id_fk";
--> statement-breakpoint
DROP INDEX "memory_segments_ordinal_idx";--> statement-breakpoint
DROP INDEX "memory_shards_pair_idx";--> statement-breakpoint
DROP INDEX "memory_vectors_pair_idx";--> statement-breakpoint
DROP INDEX "memory_segments_unindexed_idx";--> statement-breakpoint
ALTER TABLE "memory_postings" DROP CONSTRAINT "memory_postings_tenant_id_set_id_shard_no_bucket_pk";--> statement-breakpoint
ALTER TABLE "memory_segments" DROP CONSTRAINT "memory_segments_tenant_id_set_id_segment_no_pk";--> statement-breakpoint
ALTER TABLE "memory_shards" DROP CONSTRAINT "memory_shards_tenant_id_set_id_shard_no_pk";--> statement-breakpoint
ALTER TABLE "memory_vectors" DROP CONSTRAINT "memory_vectors_tenant_id_set_id_block_no_pk";--> statement-breakpoint
ALTER TABLE "memory_postings" ADD CONSTRAINT "memory_postings_tenant_id_content_id_shard_no_bucket_pk" PRIMARY KEY("tenant_id","content_id","shard_no","bucket");--> statement-breakpoint
ALTER TABLE "memory_segments" ADD CONSTRAINT "memory_segments_content_id_tenant_id_segment_no_pk" PRIMARY KEY("content_id","tenant_id","segment_no");--> statement-breakpoint
ALTER TABLE "memory_shards" ADD CONSTRAINT "memory_shards_tenant_id_content_id_shard_no_pk" PRIMARY KEY("tenant_id","content_id","shard_no");--> statement-breakpoint
ALTER TABLE "memory_vectors" ADD CONSTRAINT "memory_vectors_tenant_id_content_id_block_no_pk" PRIMARY KEY("tenant_id","content_id","block_no");--> statement-breakpoint
ALTER TABLE "memory_imports" ADD COLUMN "content_id" text collate "C";--> statement-breakpoint
ALTER TABLE "memory_sets" ADD COLUMN "content_id" text collate "C";--> statement-breakpoint
update memory_sets set content_id = set_id;--> statement-breakpoint
ALTER TABLE "memory_sets" ALTER COLUMN "content_id" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "memory_shards" ADD COLUMN "segment_nos" "bytea";--> statement-breakpoint
-- A lookup takes single numbers out of it.
alter table memory_shards alter column segment_nos set storage external;--> statement-breakpoint
-- The place of a segment that was deleted stays: 0 is no segment's number.
update memory_shards d set segment_nos = (
  select string_agg(int8send(coalesce(m.segment_no, 0)), '' order by o)
  from generate_series(0, d.segments - 1) o left join memory_segments m
    on m.tenant_id = d.tenant_id and m.content_id = d.content_id and m.shard_no = d.shard_no and m.ordinal = o);--> statement-breakpoint
-- Those that are still there, from now on.
update memory_shards d set segments = (select count(*) from memory_segments m
  where m.tenant_id = d.tenant_id and m.content_id = d.content_id and m.shard_no = d.shard_no);--> statement-breakpoint
ALTER TABLE "memory_shards" ALTER COLUMN "segment_nos" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "memory_contents" ADD CONSTRAINT "memory_contents_tenant_id_tenants_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("tenant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_imports" ADD CONSTRAINT "memory_imports_tenant_id_content_id_memory_contents_tenant_id_content_id_fk" FOREIGN KEY ("tenant_id","content_id") REFERENCES "public"."memory_contents"("tenant_id","content_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_segments" ADD CONSTRAINT "memory_segments_tenant_id_content_id_memory_contents_tenant_id_content_id_fk" FOREIGN KEY ("tenant_id","content_id") REFERENCES "public"."memory_contents"("tenant_id","content_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_sets" ADD CONSTRAINT "memory_sets_tenant_id_content_id_memory_contents_tenant_id_content_id_fk" FOREIGN KEY ("tenant_id","content_id") REFERENCES "public"."memory_contents"("tenant_id","content_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_shards" ADD CONSTRAINT "memory_shards_tenant_id_content_id_memory_contents_tenant_id_content_id_fk" FOREIGN KEY ("tenant_id","content_id") REFERENCES "public"."memory_contents"("tenant_id","content_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_vectors" ADD CONSTRAINT "memory_vectors_tenant_id_content_id_memory_contents_tenant_id_content_id_fk" FOREIGN KEY ("tenant_id","content_id") REFERENCES "public"."memory_contents"("tenant_id","content_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "memory_sets_tenant_id_content_id_key" ON "memory_sets" USING btree ("tenant_id","content_id");--> statement-breakpoint
CREATE INDEX "memory_segments_unindexed_idx" ON "memory_segments" USING btree ("tenant_id","content_id","shard_no") WHERE shard_no is null or shard_no < 0;--> statement-breakpoint
ALTER TABLE "memory_segments" DROP COLUMN "pair_source";--> statement-breakpoint
ALTER TABLE "memory_segments" DROP COLUMN "pair_target";--> statement-breakpoint
ALTER TABLE "memory_segments" DROP COLUMN "ordinal";--> statement-breakpoint
ALTER TABLE "memory_shards" DROP COLUMN "pair_source";--> statement-breakpoint
ALTER TABLE "memory_shards" DROP COLUMN "pair_target";--> statement-breakpoint
ALTER TABLE "memory_vectors" DROP COLUMN "pair_source";--> statement-breakpoint
ALTER TABLE "memory_vectors" DROP COLUMN "pair_target";--> statement-breakpoint
select protect_tenant_table('memory_contents');
--> statement-breakpoint
-- In place of a foreign key, which looks the shard up for each of its 16,000 lists.
-- Nothing but the shard's own transaction adds lists, and they go with it.
create function delete_postings_of_shards() returns trigger language plpgsql as $$
begin
  delete from memory_postings p using gone
  where p.tenant_id = gone.tenant_id and p.content_id = gone.content_id and p.shard_no = gone.shard_no;
  return null;
end
$$;
--> statement-breakpoint
create trigger delete_postings after delete on memory_shards
  referencing old table as gone for each statement execute function delete_postings_of_shards();
