alter table memory_segments add column fed_key bytea;
--> statement-breakpoint
create table memory_changes (
  tenant_id text collate "C" not null,
  change_id text collate "C" not null,
  kind text not null,
  actor text,
  segments integer not null,
  created_at timestamp(3) with time zone default now() not null,
  undone_at timestamp(3) with time zone,
  undone_by text,
  constraint memory_changes_tenant_id_change_id_pk primary key (tenant_id, change_id),
  constraint memory_changes_tenant_id_tenants_tenant_id_fk
    foreign key (tenant_id) references tenants(tenant_id) on delete cascade
);
create index memory_changes_latest_idx on memory_changes using btree (tenant_id, created_at, change_id);
create index memory_changes_created_at_idx on memory_changes using btree (created_at);
--> statement-breakpoint
create table memory_changed_segments (
  tenant_id text collate "C" not null,
  change_id text collate "C" not null,
  "position" integer not null,
  content_id text collate "C" not null,
  segment_no bigint not null,
  old_source text not null,
  old_target text not null,
  new_source text,
  new_target text,
  tuid text,
  changed_at timestamp(0) with time zone,
  job_id text collate "C",
  fed_key bytea,
  undone boolean default false not null,
  constraint memory_changed_segments_tenant_id_change_id_position_pk primary key (tenant_id, change_id, "position"),
  constraint memory_changed_segments_tenant_id_change_id_memory_changes_tena
    foreign key (tenant_id, change_id) references memory_changes(tenant_id, change_id) on delete cascade,
  constraint memory_changed_segments_tenant_id_content_id_memory_contents_te
    foreign key (tenant_id, content_id) references memory_contents(tenant_id, content_id) on delete cascade
);
create index memory_changed_segments_segment_idx on memory_changed_segments using btree (tenant_id, content_id, segment_no);
create index memory_changed_segments_job_id_idx on memory_changed_segments using btree (tenant_id, job_id) where (job_id is not null);
--> statement-breakpoint
select protect_tenant_table('memory_changes');
select protect_tenant_table('memory_changed_segments');
