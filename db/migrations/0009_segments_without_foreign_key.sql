-- The check of the key, row by row, was about a sixth of an import's time.
ALTER TABLE "memory_segments" DROP CONSTRAINT "memory_segments_tenant_id_content_id_memory_contents_tenant_id_content_id_fk";
--> statement-breakpoint
create function delete_segments_of_content() returns trigger language plpgsql as $$
begin
  delete from memory_segments where tenant_id = old.tenant_id and content_id = old.content_id;
  return null;
end
$$;
--> statement-breakpoint
create trigger delete_segments after delete on memory_contents
  for each row execute function delete_segments_of_content();
