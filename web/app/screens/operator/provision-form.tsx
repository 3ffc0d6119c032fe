import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ProvisionedTenant } from '#sdk/types.ts';
import { tell } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Field } from '../../parts/field.tsx';
import { fieldProblem, Problem } from '../../parts/problem.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { useAction } from '../../parts/use-action.ts';
import { queryKeys } from '../../query-keys.ts';
import { proved } from '../../session/proof.ts';

/**
 * Creates a tenant. The request has no idempotency key. If the response is lost, the list of tenants shows whether the
 * tenant exists; its API key, which is then lost, can be replaced on the server with `npm run admin`.
 */
export function ProvisionForm() {
  const t = useT();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [limit, setLimit] = useState('');
  const [created, setCreated] = useState<ProvisionedTenant>();
  const { run, error, isBusy } = useAction();
  const submit = run(async () => {
    try {
      const request = { name, ...(limit !== '' && { monthly_char_limit: Number(limit) }) };
      setCreated(await proved(() => tell<ProvisionedTenant>('tenants.create', request)));
      setName('');
      announce(t('operator.provisioned'));
    } finally {
      void queries.invalidateQueries({ queryKey: queryKeys.operator.tenants });
    }
  });
  const wrongName = fieldProblem(error, 'name');
  const wrongLimit = fieldProblem(error, 'monthly_char_limit');
  return (
    <details>
      <summary className="button">{t('operator.provision')}</summary>
      <form className="form" onSubmit={submit}>
        {error && !wrongName && !wrongLimit ? <Problem error={error} /> : null}
        <Field
          label={t('operator.name')}
          problem={wrongName}
          required
          maxLength={200}
          autoComplete="off"
          value={name}
          onValue={setName}
        />
        <Field
          label={t('operator.limit')}
          hint={t('operator.limit_hint')}
          problem={wrongLimit}
          type="number"
          min={1}
          max={2_147_483_647}
          value={limit}
          onValue={setLimit}
        />
        <button type="submit" className="primary" disabled={isBusy}>
          {t('operator.create')}
        </button>
      </form>
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
