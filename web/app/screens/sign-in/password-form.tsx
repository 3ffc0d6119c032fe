import { useState } from 'react';
import { LinguaLoopError } from '#sdk/errors.ts';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { Field, PasswordField } from '../../kit/field.tsx';
import { fieldProblem, Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { sameOriginRequest, signInRequest } from '../../session/sign-in-request.ts';
import style from './steps.module.css';
import type { SignInAnswer } from './steps.ts';

/** Repeats the sign-in request for one workspace, after the member has selected it. */
export type ChooseWorkspace = (tenantId: string) => Promise<SignInAnswer>;

/**
 * Signs in with email and password.
 * @param email if set, the field for the email address has this value and is read-only
 * @param tenantId the workspace, if it is known
 * @param named the workspace that the field for its ID has at first; without one, the field is hidden until it is needed
 */
export function PasswordForm({
  email,
  tenantId,
  named,
  onAnswer,
}: {
  email?: string | undefined;
  tenantId?: string | undefined;
  named?: string | undefined;
  onAnswer(answer: SignInAnswer, choose: ChooseWorkspace): void;
}) {
  const t = useT();
  const { run, error, isBusy } = useAction();
  const [username, setUsername] = useState(email ?? '');
  const [password, setPassword] = useState('');
  const [isForgotten, setForgotten] = useState(false);
  const [workspace, setWorkspace] = useState(named ?? '');
  const [isNaming, setNaming] = useState(named !== undefined);

  const ask = async (of: string | undefined): Promise<SignInAnswer> => {
    const body = { grant_type: 'password', username, password, tenant_id: of };
    const outcome = await signInRequest<SignInAnswer>('token', body);
    if (outcome.ok) return outcome.body;
    if (isWorkspaceNeeded(outcome.error)) setNaming(true);
    throw outcome.error;
  };

  return (
    <form onSubmit={run(async () => onAnswer(await ask(tenantId ?? (workspace.trim() || undefined)), ask))}>
      {error !== undefined && <Problem error={error} />}
      <Field
        label={t('signin.email')}
        problem={fieldProblem(error, 'username')}
        type="email"
        name="username"
        autoComplete="username"
        required
        readOnly={email !== undefined}
        value={username}
        onValue={setUsername}
      />
      <PasswordField
        label={t('signin.password')}
        problem={fieldProblem(error, 'password')}
        name="password"
        autoComplete="current-password"
        required
        autoFocus={email !== undefined}
        value={password}
        onValue={setPassword}
        aside={
          <button
            type="button"
            className={style['forgot']}
            aria-expanded={isForgotten}
            onClick={() => setForgotten(!isForgotten)}
          >
            {t('signin.forgot')}
          </button>
        }
      />
      {isForgotten && <ForgottenPassword email={username} />}
      {isNaming && (
        <Field
          label={t('signin.workspace_id')}
          hint={t('signin.workspace_id_hint')}
          name="workspace"
          autoComplete="off"
          spellCheck={false}
          maxLength={64}
          value={workspace}
          onValue={setWorkspace}
        />
      )}
      <button type="submit" className="primary" aria-disabled={isBusy}>
        {t('signin.submit')}
      </button>
      {!isNaming && tenantId === undefined && (
        <button type="button" className={style['forgot']} onClick={() => setNaming(true)}>
          {t('signin.name_workspace')}
        </button>
      )}
    </form>
  );
}

/** Whether the address has more accounts than a sign-in without a workspace searches. */
function isWorkspaceNeeded(error: unknown): boolean {
  return error instanceof LinguaLoopError && String(error.detail).startsWith('workspace_id_required:');
}

/**
 * The ways to a new password: the service mails a link to a confirmed address, or an administrator creates one.
 * @param email the address in the form, which gets the link
 */
function ForgottenPassword({ email }: { email: string }) {
  const t = useT();
  const { run, error, isBusy } = useAction();
  const [sentTo, setSentTo] = useState<string>();
  const send = run(async () => {
    const body = { json: { email } };
    const outcome = await sameOriginRequest('/trpc/auth.requestPasswordReset', body);
    if (!outcome.ok) throw outcome.error;
    setSentTo(email);
  });
  return (
    <div className="notice" role="status">
      {deployment.mail && (
        <>
          <p>{t('signin.forgot_mail')}</p>
          {error !== undefined && <Problem error={error} />}
          {sentTo === undefined ? (
            <button type="button" aria-disabled={isBusy} disabled={!email.includes('@')} onClick={send}>
              {t('signin.forgot_send')}
            </button>
          ) : (
            <p>{t('signin.forgot_sent', { email: sentTo })}</p>
          )}
        </>
      )}
      <p>{t(deployment.mail ? 'signin.forgot_ask_mail' : 'signin.forgot_ask')}</p>
      <p>
        {t('signin.forgot_alone')} <a href={`${deployment.basePath}/contact`}>{t('signin.forgot_contact')}</a>
      </p>
    </div>
  );
}
