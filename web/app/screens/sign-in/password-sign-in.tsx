import { type FormEvent, useState } from 'react';
import type { MfaChallenge, Workspace } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Problem } from '../../parts/problem.tsx';
import { begin, type Issued } from '../../session/keeper.ts';
import { signInRequest } from '../../session/sign-in-request.ts';

type PasswordAnswer =
  | Issued
  | { mfa_required: true; mfa_challenge: MfaChallenge }
  | { tenant_selection_required: true; tenants: Workspace[] };

/** What the person is asked for next. */
type Step =
  | { kind: 'password' }
  | { kind: 'workspace'; tenants: Workspace[] }
  | { kind: 'code'; challenge: MfaChallenge };

/**
 * Signs in by address and password, then, where they are asked for, the workspace and a code.
 * @param email fills in the address, which then cannot be changed
 * @param tenantId the workspace, if it is known already
 */
export function PasswordSignIn({ email, tenantId }: { email?: string; tenantId?: string }) {
  const t = useT();
  const [step, setStep] = useState<Step>({ kind: 'password' });
  const [username, setUsername] = useState(email ?? '');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);

  /** Runs one step; another one cannot begin meanwhile, since codes and passwords are counted. */
  const run = (work: () => Promise<void>) => async (event?: FormEvent) => {
    event?.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };

  const signIn = (workspace: string | undefined) => async () => {
    const answer = await signInRequest<PasswordAnswer>('token', {
      grant_type: 'password',
      username,
      password,
      tenant_id: workspace,
    });
    if (!answer.ok) throw answer.error;
    if ('tenant_selection_required' in answer.body)
      setStep({ kind: 'workspace', tenants: answer.body.tenants });
    else if ('mfa_required' in answer.body) setStep({ kind: 'code', challenge: answer.body.mfa_challenge });
    else begin(answer.body);
  };

  const problem = error ? <Problem error={error} /> : null;
  if (step.kind === 'workspace')
    return (
      <div>
        <h2>{t('signin.choose_workspace')}</h2>
        {problem}
        <ul className="choices">
          {step.tenants.map(({ tenant_id, tenant_name }) => (
            <li key={tenant_id}>
              <button type="button" disabled={isBusy} onClick={run(signIn(tenant_id))}>
                <bdi>{tenant_name}</bdi>
              </button>
            </li>
          ))}
        </ul>
      </div>
    );
  if (step.kind === 'code')
    return <CodeForm challenge={step.challenge} onBack={() => setStep({ kind: 'password' })} />;
  return (
    <form onSubmit={run(signIn(tenantId))}>
      {problem}
      <label>
        {t('signin.email')}
        <input
          type="email"
          name="username"
          autoComplete="username"
          required
          readOnly={email !== undefined}
          value={username}
          onChange={({ target }) => setUsername(target.value)}
        />
      </label>
      <label>
        {t('signin.password')}
        <input
          type="password"
          name="password"
          autoComplete="current-password"
          required
          // biome-ignore lint/a11y/noAutofocus: the address is known, so this is what the person came to fill in
          autoFocus={email !== undefined}
          value={password}
          onChange={({ target }) => setPassword(target.value)}
        />
      </label>
      <button type="submit" className="primary" disabled={isBusy}>
        {t('signin.submit')}
      </button>
    </form>
  );
}

/** Asks for a code of the authenticator, or a recovery code. */
function CodeForm({ challenge, onBack }: { challenge: MfaChallenge; onBack: () => void }) {
  const t = useT();
  const [code, setCode] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      const body = { challenge_id: challenge.challenge_id, mfa_code: code.trim() };
      const answer = await signInRequest<Issued>('mfa/verify', body);
      if (!answer.ok) throw answer.error;
      begin(answer.body);
    } catch (thrown) {
      setError(thrown);
      setCode('');
    } finally {
      setBusy(false);
    }
  };

  return (
    <form onSubmit={submit}>
      {error ? <Problem error={error} /> : null}
      <label>
        {t('signin.code')}
        <input
          name="code"
          autoComplete="one-time-code"
          required
          // biome-ignore lint/a11y/noAutofocus: the person has just been asked for this code
          autoFocus
          value={code}
          onChange={({ target }) => setCode(target.value)}
        />
        <span className="hint">{t('signin.code_hint')}</span>
      </label>
      <button type="submit" className="primary" disabled={isBusy}>
        {t('signin.submit')}
      </button>
      <button type="button" className="plain" onClick={onBack}>
        {t('common.back')}
      </button>
    </form>
  );
}
