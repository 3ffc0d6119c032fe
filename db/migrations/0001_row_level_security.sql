-- Row-level security for every tenant table, laid down in one place. A later migration that adds a tenant
-- table ends with `select protect_tenant_table('its_name');`: the catalog test fails until it does.
--
-- The scope of a transaction is the setting `lingualoop.tenant_id`: a tenant's id, '*' for the platform, unset
-- or empty for nothing at all. (A connection that once held it keeps '' after its transaction: hence nullif.)
-- The policy is a range, not `tenant_id = x or x = '*'`, because an OR keeps every index from being used. No sub-selects
-- around the functions: the planner then sees what they return, and how many rows that tenant has.
create function tenant_scope_from() returns text language sql stable parallel safe
return case current_setting('lingualoop.tenant_id', true)
  when '*' then '' else nullif(current_setting('lingualoop.tenant_id', true), '') end;
--> statement-breakpoint
create function tenant_scope_to() returns text language sql stable parallel safe
return case current_setting('lingualoop.tenant_id', true)
  when '*' then '~' else nullif(current_setting('lingualoop.tenant_id', true), '') end;
--> statement-breakpoint
create function protect_tenant_table(tenant_table regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', tenant_table);
  execute format('alter table %s force row level security', tenant_table);
  execute format(
    'create policy tenant_scope on %s using (tenant_id between tenant_scope_from() and tenant_scope_to())',
    tenant_table);
end
$$;
--> statement-breakpoint
-- Every id must sort inside the platform's range, '' to '~'.
alter table tenants add constraint tenants_tenant_id_form check (tenant_id ~ '^[a-z0-9_-]{1,64}$');
--> statement-breakpoint
select protect_tenant_table('tenants');
--> statement-breakpoint
select protect_tenant_table('users');
--> statement-breakpoint
select protect_tenant_table('tokens');
--> statement-breakpoint
select protect_tenant_table('translation_jobs');
--> statement-breakpoint
select protect_tenant_table('usage_records');
