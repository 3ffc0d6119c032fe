import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { tenants } from '#sdk/tenants.ts';
import type { ProvisionedTenant } from '#sdk/types.ts';
import { bound, client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { Field } from '../../kit/field.tsx';
import { Form } from '../../kit/form.tsx';
import { Badge } from '../../kit/text.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { More, usePages } from '../../parts/more.tsx';
import { Setting } from '../../parts/setting.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { proved } from '../../session/proof.ts';
import { DailyReport } from '../usage/daily-report.tsx';
import { OperatorPage } from './operator-page.tsx';

const pageSize = 100;

/** `/app/settings/operator`: the workspaces of the deployment, and their usage. */
export function OperatorScreen() {
  return (
    <OperatorPage>
      <Tenants />
      <SummedUsage />
    </OperatorPage>
  );
}

function Tenants() {
  const t = useT();
  const { number, day } = useFormat();
  const { reading, more } = usePages(queryKeys.operator.tenants, (cursor) =>
    bound(tenants).listPage({ limit: pageSize, ...(cursor && { cursor }) }),
  );
  return (
    <Setting id="tenants" title={t('operator.tenants')} why={t('operator.tenants_why')} wide>
      <ProvisionForm />
      <Read from={reading} lines={10}>
        {(tenants) => (
          <DataTable
            rows={tenants}
            keyOf={({ id }) => id}
            columns={[
              {
                title: t('operator.name'),
                isName: true,
                cell: ({ id, name }) => (
                  <Link to="/app/settings/operator/workspaces/$tenantId" params={{ tenantId: id }}>
                    <bdi translate="no">{name}</bdi>
                  </Link>
                ),
              },
              { title: t('operator.id'), wraps: true, cell: ({ id }) => <code translate="no">{id}</code> },
              {
                title: t('operator.key'),
                cell: ({ api_key_prefix }) => <code translate="no">{api_key_prefix}…</code>,
              },
              {
                title: t('operator.limit'),
                isNumeric: true,
                cell: ({ monthly_char_limit }) => number(monthly_char_limit),
              },
              { title: t('operator.created'), cell: ({ created_at }) => day(created_at) },
              {
                title: t('operator.state'),
                cell: ({ active }) => (
                  <Badge tone={active ? 'good' : 'bad'}>
                    {t(active ? 'operator.active' : 'operator.inactive')}
                  </Badge>
                ),
              },
            ]}
          />
        )}
      </Read>
      <More of={more} />
    </Setting>
  );
}

/** The usage of one tenant, or the sum over all tenants. */
function SummedUsage() {
  const t = useT();
  const navigate = useNavigate({ from: '/app/settings/operator' });
  const { tenant } = useSearch({ from: '/workspace/operators/app/settings/operator' });
  const usage = useQuery({
    queryKey: queryKeys.operator.usage(tenant),
    queryFn: () => client.usage.daily({}, { tenantId: tenant }),
  });
  return (
    <Setting id="summed" title={t('operator.usage')} why={t('operator.usage_why')} wide>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          const asked = String(new FormData(event.currentTarget).get('tenant') ?? '').trim();
          void navigate({ search: asked === '' ? {} : { tenant: asked } });
        }}
      >
        <label>
          {t('operator.one_tenant')}
          <input key={tenant} name="tenant" dir="ltr" maxLength={100} defaultValue={tenant ?? ''} />
          <span className="hint">{t('operator.one_tenant_hint')}</span>
        </label>
        <button type="submit">{t('operator.show')}</button>
      </form>
      <Read from={usage} lines={14}>
        {(report) => <DailyReport usage={report} />}
      </Read>
    </Setting>
  );
}

/**
 * Creates a tenant. The request has no idempotency key. If the response is lost, the list of tenants shows whether the
 * tenant exists; its API key, which is then lost, can be replaced on the server with `npm run admin`.
 */
function ProvisionForm() {
  const t = useT();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [limit, setLimit] = useState('');
  const [created, setCreated] = useState<ProvisionedTenant>();
  const create = async () => {
    try {
      const request = { name, ...(limit !== '' && { monthly_char_limit: Number(limit) }) };
      setCreated(await proved(() => procedures.tenants.create.mutate(request)));
      setName('');
      announce(t('operator.provisioned'));
    } finally {
      void queries.invalidateQueries({ queryKey: queryKeys.operator.tenants });
    }
  };
  return (
    <details>
      <summary className="button">{t('operator.provision')}</summary>
      <Form action={t('operator.create')} onSubmit={create}>
        <Field
          label={t('operator.name')}
          name="name"
          required
          maxLength={200}
          autoComplete="off"
          value={name}
          onValue={setName}
        />
        <Field
          label={t('operator.limit')}
          hint={t('operator.limit_hint')}
          name="monthly_char_limit"
          type="number"
          min={1}
          max={2_147_483_647}
          value={limit}
          onValue={setLimit}
        />
      </Form>
      {created && (
        <>
          <p className="notice">
            {t('operator.provisioned')} <bdi translate="no">{created.name}</bdi>
          </p>
          <ShownOnce key={created.id} label={t('operator.api_key')} value={created.api_key} />
        </>
      )}
    </details>
  );
}
