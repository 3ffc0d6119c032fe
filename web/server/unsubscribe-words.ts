import type { OptionalMail } from '#server/identity/mail/preferences.ts';
import type { Locale } from './locale.ts';

/** The texts of the pages at which members switch mails off. */
interface UnsubscribeWords extends Record<OptionalMail, string> {
  title: string;
  button: string;
  done: string;
  again: string;
}

export const unsubscribeWords: Record<Locale, UnsubscribeWords> = {
  en: {
    title: 'Switch off emails',
    digest: 'You get an email each day on which items await review in your workspace.',
    documents: 'You get an email when documents that you submitted are translated.',
    button: 'Switch off these emails',
    done: 'These emails are off',
    again: 'You can switch them on again in the application, under “Notifications”.',
  },
  fr: {
    title: 'Désactiver des messages',
    digest:
      'Vous recevez un message chaque jour où des éléments sont en attente de révision dans votre espace de travail.',
    documents: 'Vous recevez un message lorsque des documents que vous avez soumis sont traduits.',
    button: 'Désactiver ces messages',
    done: 'Ces messages sont désactivés',
    again: 'Vous pouvez les réactiver dans l’application, sous « Notifications ».',
  },
  de: {
    title: 'E-Mails abschalten',
    digest:
      'Sie erhalten an jedem Tag eine E-Mail, an dem in Ihrem Arbeitsbereich Elemente auf Prüfung warten.',
    documents: 'Sie erhalten eine E-Mail, wenn von Ihnen eingereichte Dokumente übersetzt sind.',
    button: 'Diese E-Mails abschalten',
    done: 'Diese E-Mails sind abgeschaltet',
    again: 'Sie können sie in der Anwendung unter „Benachrichtigungen“ wieder einschalten.',
  },
  ar: {
    title: 'إيقاف الرسائل',
    digest: 'تصلك رسالة في كل يوم توجد فيه عناصر بانتظار المراجعة في مساحة عملك.',
    documents: 'تصلك رسالة عند ترجمة المستندات التي أرسلتها.',
    button: 'إيقاف هذه الرسائل',
    done: 'تم إيقاف هذه الرسائل',
    again: 'يمكنك تشغيلها مجددًا في التطبيق، ضمن «الإشعارات».',
  },
  ja: {
    title: 'メールの停止',
    digest: 'ワークスペースにレビュー待ちの項目がある日に、メールをお送りしています。',
    documents: '送信した文書の翻訳が完了したときに、メールをお送りしています。',
    button: 'このメールを停止',
    done: 'このメールを停止しました',
    again: 'アプリケーションの「通知」で、いつでも再開できます。',
  },
};
