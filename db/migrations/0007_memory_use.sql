alter table memory_contents add column file_name text;
alter table memory_changed_segments add column merged_into bigint;
--> statement-breakpoint
create table memory_use (
  tenant_id text collate "C" not null,
  content_id text collate "C" not null,
  segment_no bigint not null,
  served bigint not null,
  served_at timestamp(0) with time zone not null,
  constraint memory_use_tenant_id_content_id_segment_no_pk primary key (tenant_id, content_id, segment_no),
  constraint memory_use_tenant_id_content_id_memory_contents_tenant_id_conte
    foreign key (tenant_id, content_id) references memory_contents(tenant_id, content_id) on delete cascade
);
--> statement-breakpoint
select protect_tenant_table('memory_use');
