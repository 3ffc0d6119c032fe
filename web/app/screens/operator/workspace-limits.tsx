import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { WorkspaceView } from '#sdk/operation-types.ts';
import { operate } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Field } from '../../parts/field.tsx';
import { fieldProblem, Problem } from '../../parts/problem.tsx';
import { Setting } from '../../parts/setting.tsx';
import { useAction } from '../../parts/use-action.ts';
import { queryKeys } from '../../query-keys.ts';
import styles from './operator.module.css';

/** Forms for the monthly allowance and the storage cap of a workspace. */
export function WorkspaceLimits({ of }: { of: WorkspaceView }) {
  const t = useT();
  const { own_cap: cap } = of.storage;
  return (
    <Setting id="limits" title={t('operator.limits')} why={t('operator.limits_why')}>
      <div className={styles['limits']}>
        <Limit
          tenantId={of.id}
          name="monthly_char_limit"
          label={t('operator.limit')}
          stored={String(of.monthly_char_limit)}
          min={1}
          max={2_147_483_647}
          required
          save={(value) => operate('setAllowance', { tenant_id: of.id, monthly_char_limit: Number(value) })}
        />
        <Limit
          tenantId={of.id}
          name="cap_bytes"
          label={t('operator.cap_bytes')}
          hint={t('operator.cap_hint')}
          stored={cap === null ? '' : String(cap)}
          min={0}
          max={999_999_999_999_999}
          save={(value) =>
            operate('setStorageCap', { tenant_id: of.id, cap_bytes: value === '' ? null : Number(value) })
          }
        />
      </div>
    </Setting>
  );
}

/** A number that is saved on its own. @param stored the saved value; empty for none */
function Limit({
  tenantId,
  name,
  stored,
  save,
  ...field
}: {
  tenantId: string;
  name: string;
  label: string;
  hint?: string;
  stored: string;
  min: number;
  max: number;
  required?: boolean;
  save: (value: string) => Promise<unknown>;
}) {
  const t = useT();
  const queries = useQueryClient();
  const [value, setValue] = useState(stored);
  const { run, error, isBusy } = useAction();
  const wrong = fieldProblem(error, name);
  const submit = run(async () => {
    await save(value);
    announce(t('operator.saved'));
    await queries.invalidateQueries({ queryKey: queryKeys.operator.workspace(tenantId) });
    void queries.invalidateQueries({ queryKey: queryKeys.operator.tenants });
  });
  return (
    <form className="form" onSubmit={submit}>
      {error !== undefined && !wrong && <Problem error={error} />}
      <Field {...field} problem={wrong} type="number" inputMode="numeric" value={value} onValue={setValue} />
      <button
        type="submit"
        disabled={isBusy || value === stored}
        aria-label={`${t('common.save')}: ${field.label}`}
      >
        {t('common.save')}
      </button>
    </form>
  );
}
