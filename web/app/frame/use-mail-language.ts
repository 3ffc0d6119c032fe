import { useEffect } from 'react';
import { setMailPreferences } from '../client.ts';
import { deployment } from '../deployment.ts';
import { useInterface } from '../i18n.tsx';

/**
 * Tells the service the language of the interface, in which it then writes emails to the member: when the application
 * starts, and when the member selects another language. A failure is not shown, because the next start tells it again.
 */
export function useMailLanguage(isSignedIn: boolean): void {
  const { locale } = useInterface();
  useEffect(() => {
    if (deployment.mail && isSignedIn) void setMailPreferences({ language: locale }).catch(() => {});
  }, [locale, isSignedIn]);
}
