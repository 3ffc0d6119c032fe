import type { LanguageCode } from '#server/languages.ts';

/**
 * Groups of languages that profiles cannot distinguish, because they have too many letters and syllables in common. For
 * each language, frequent words that no other language of the group has; in lower case and NFC.
 */
const siblings: readonly Partial<Record<LanguageCode, string>>[] = [
  {
    da: 'af hvad noget nogen nogle blev bliver mere efter uden mellem sig dig mig nu op ud ind kun meget måske arbejde gøre gør gemme tilføj frihed sikkerhed mulighed imod børn igen tilbage indhold nødvendigt kunne skulle hjælp ret',
    nb: 'å av hva noe noen ble blir mer etter uten mellom seg deg meg nå opp ut inn bare veldig kanskje arbeid gjøre gjør lagre frihet sikkerhet mulighet mot barn igjen tilbake innhold nødvendig hjelp rett',
  },
  {
    id: 'bahwa karena bisa sedangkan namun lainnya berbagai perusahaan pengadilan hukum silakan unduh unggah tautan hapus perangkat layar pesan uang mobil kantor kapan harus memperoleh mendapat pemerintah gunakan aktifkan coba baca kamu kalian berkas tentang pernyataan pria serikat pikiran standar kualitas aktivitas fasilitas universitas identitas telepon tanggal kota polisi kamar gratis toko sulit paham libur kemarin informasi saja agar anggota negerinya warga sewenang semena mendirikan dewasa penghidupan jaminan melakukan',
    ms: 'bahawa kerana manakala ialah hendaklah pelbagai syarikat mahkamah sila muat pautan padam peranti skrin mesej wang kereta pejabat daripada sesiapa sebarang kerajaan semasa bagi mahu awak tiada samada perkara cuba kepada antarabangsa kesalahan pelajaran fail lelaki fikiran kualiti aktiviti kemudahan universiti identiti telefon tarikh bandar polis bilik percuma kedai sukar faham cuti kelmarin maklumat sahaja apabila ahli puan hendak mestilah selepas amat ramai baharu',
  },
  {
    hi: 'है हैं और में से नहीं का की के को यह वह कि इस लिए किसी भी था थे थी कर करें करने किया अपने उसे जो होगा रूप सकता सकते आप आपके पर ने गया जा जाएगा सभी कोई',
    mr: 'आहे आहेत आणि नाही किंवा हे ही हा असे पाहिजे नये त्याच्या त्यांच्या यांच्या आपल्या करण्यात करण्याचा करण्यासाठी येईल साठी तसेच अशा झाला केले केली होईल तुम्ही तुमच्या करा नका ते त्या ज्या करून म्हणून',
    ne: 'र छ छन् छैन गर्न गर्ने गर्नु भएको हुनेछ हुने वा पनि यस त्यस आफ्नो गरी गरेको सबै कुनै लागि लाई मा ले बाट भन्ने उसको गर्नुहोस् तपाईं तपाईंको थियो गरिएको भने जस्तो व्यक्तिलाई यो',
  },
  {
    ar: 'في من على إلى أن أو هذا هذه التي الذي لا ما كل عن مع لكل غير ذلك كان أي',
    fa: 'که در از را با است این آن برای باید خود هر شود کند می های بر تا او همه شده دارد نمی کنید',
    ur: 'اور کے کی کا کو ہے میں سے اس پر ہیں نہیں یہ وہ کسی کرنے لیے لئے گا گی ہو بھی جو کہ آپ نے کریں',
  },
];

const sets: readonly ReadonlyMap<string, ReadonlySet<string>>[] = siblings.map(
  (group) => new Map(Object.entries(group).map(([language, words]) => [language, new Set(words.split(' '))])),
);

/**
 * For each language in the group of `language`, returns the number of `words` that only this language has; undefined if
 * `language` is in no group.
 */
export function countSiblingWords(
  language: string,
  words: readonly string[],
): Map<string, number> | undefined {
  const group = sets.find((languages) => languages.has(language));
  return (
    group &&
    new Map([...group].map(([one, listed]) => [one, words.filter((word) => listed.has(word)).length]))
  );
}
