import { useEffect, useState } from 'react';
import { deployment } from '../../deployment.ts';
import { useInterface } from '../../i18n.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { sameOriginRequest } from '../../session/sign-in-request.ts';
import { SignUpForm } from './sign-up-form.tsx';
import { Or, SsoButton } from './sso-button.tsx';
import { StepHeading } from './step-heading.tsx';
import type { SignInAnswer } from './steps.ts';

/** The response about an invite token. The service returns the same error for all invalid tokens. */
type InvitePreview =
  | { valid: false }
  | { valid: true; tenant_name: string; role: string; email: string | null; expires_at: string };

/** Shows the workspace and role of an invite link, and the ways to accept the invite. */
export function Invitation({
  token,
  emailProof,
  onAnswer,
  restart,
}: {
  token: string;
  emailProof: string | null;
  onAnswer(answer: SignInAnswer): void;
  restart(): void;
}) {
  const { t, locale } = useInterface();
  const { run, error } = useAction();
  const [preview, setPreview] = useState<InvitePreview>();
  const load = run(async () => {
    const outcome = await sameOriginRequest<InvitePreview>('/api/auth/invites/preview', {
      invite_token: token,
    });
    if (!outcome.ok) throw outcome.error;
    setPreview(outcome.body);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each link
  useEffect(() => void load(), [token]);

  const toSignIn = (
    <button type="button" className="plain" onClick={restart}>
      {t('signin.to_sign_in')}
    </button>
  );
  if (error !== undefined) return <Problem error={error} retry={() => void load()} />;
  if (!preview) return <Loading />;
  if (!preview.valid)
    return (
      <>
        <StepHeading focus>{t('signin.invite_title')}</StepHeading>
        <p>{t('signin.invite_invalid')}</p>
        {toSignIn}
      </>
    );
  const until = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <>
      <StepHeading focus>{t('signin.invite_title')}</StepHeading>
      <p>
        {t('signin.invite_to')} <bdi className="tenant-name">{preview.tenant_name}</bdi>
      </p>
      <p className="hint">
        {preview.role === 'global_administrator' ? t('signin.invite_admin') : t('signin.invite_member')}{' '}
        {t('signin.invite_until', { time: until.format(new Date(preview.expires_at)) })}
      </p>
      {deployment.emailSignUp && (
        <SignUpForm invitation={{ ...preview, token, emailProof }} onAnswer={onAnswer} />
      )}
      {deployment.emailSignUp && deployment.ssoProvider && <Or />}
      {deployment.ssoProvider && <SsoButton inviteToken={token} />}
      {!deployment.emailSignUp && !deployment.ssoProvider && <p>{t('signin.no_way')}</p>}
      {toSignIn}
    </>
  );
}
