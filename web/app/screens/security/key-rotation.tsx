import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Field, PasswordField } from '../../parts/field.tsx';
import { fieldProblem, Problem } from '../../parts/problem.tsx';
import { Setting } from '../../parts/setting.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { useAction } from '../../parts/use-action.ts';
import { queryKeys } from '../../query-keys.ts';
import type { Me } from '../../session/use-me.ts';

/**
 * Rotates the workspace's API key. The service requires an authenticator code; members without an authenticator enter
 * their password. The old key stops working immediately. Only the response to this request contains the new key.
 */
export function KeyRotation({ me: { user, tenant } }: { me: Me }) {
  const t = useT();
  const queries = useQueryClient();
  const [proof, setProof] = useState('');
  const [key, setKey] = useState<string>();
  const { run, error, isBusy } = useAction();
  const name = user.totp_enrolled ? 'mfa_code' : 'password';
  const problem = fieldProblem(error, name);
  const rotate = run(async () => {
    try {
      // The request has no retry. If the response is lost, a repeated request would rotate a key that no one has seen.
      const rotated = await client.tenants.rotateKey({ [name]: proof.trim() });
      setKey(rotated.api_key);
      announce(t('security.rotated'));
      void queries.invalidateQueries({ queryKey: queryKeys.me });
    } finally {
      setProof('');
    }
  });
  return (
    <Setting id="api-key" title={t('security.key')} why={t('security.key_why')}>
      <p>
        {t('security.key_begins')} <code translate="no">{tenant.api_key_prefix}…</code>
      </p>
      {key && <ShownOnce key={key} label={t('security.new_key')} value={key} />}
      <details>
        <summary className="button">{t('security.rotate')}</summary>
        <form className="form" onSubmit={rotate}>
          <p>{t('security.rotate_why')}</p>
          {error !== undefined && !problem && <Problem error={error} />}
          {user.totp_enrolled ? (
            <Field
              label={t('security.proof_code')}
              autoComplete="one-time-code"
              inputMode="numeric"
              required
              problem={problem}
              value={proof}
              onValue={setProof}
            />
          ) : (
            <PasswordField
              label={t('security.proof_password')}
              autoComplete="current-password"
              required
              problem={problem}
              value={proof}
              onValue={setProof}
            />
          )}
          <button type="submit" className="danger" disabled={isBusy}>
            {t('security.rotate')}
          </button>
        </form>
      </details>
    </Setting>
  );
}
