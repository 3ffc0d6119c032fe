/**
 * Each line contains a term, then after "=" forms of the term that must count, and after "≠" similar words that must
 * not count.
 */
export const agglutinating = {
  fi: `
sopimus = sopimuksen, sopimusta, sopimuksessa, sopimukset, sopimuksia, sopimusten, sopimuksella, sopimukseen, sopimuksensa, sopimuksista ≠ sopia, sopiva, sopimaton
lasku = laskun, laskua, laskut, laskuja, laskujen, laskussa, laskuun, laskuista ≠ laskea, laskin, laskelma
asiakas = asiakkaan, asiakasta, asiakkaat, asiakkaiden, asiakkaalle, asiakkaita ≠ asia, asiakirja, asiallinen
tuote = tuotteen, tuotetta, tuotteet, tuotteiden, tuotteita ≠ tuotanto, tuottaa, tuoda
henkilötieto = henkilötiedot, henkilötietoja, henkilötietojen, henkilötiedon ≠ henkilöstö, henkilö
yhtiö = yhtiön, yhtiötä, yhtiöt, yhtiöiden, yhtiössä, yhtiöön ≠ yhtenäinen, yhtyä, yhtye
ostaja = ostajan, ostajaa, ostajat, ostajien, ostajalle ≠ ostaa, ostos
suomalainen = suomalaisen, suomalaista, suomalaiset, suomalaisten ≠ suomi, suola
oikeus = oikeuden, oikeutta, oikeudet, oikeuksia, oikeuteen, oikeudessa ≠ oikea, oikaista
hinta = hinnan, hintaa, hinnat, hintojen, hinnassa, hintoja ≠ hintelä, hinnoittelu
ehto = ehdon, ehtoja, ehdot, ehtojen, ehdoissa ≠ ehdokas, ehdottaa
pankki = pankin, pankkia, pankit, pankkeja, pankkien, pankissa ≠ pankkiiri, pannu`,
  hu: `
szerződés = szerződést, szerződések, szerződésben, szerződéssel, szerződésének, szerződéseket, szerződése, szerződéshez ≠ szerző, szerződő, szerzemény, szerződik
számla = számlát, számlák, számlán, számlával, számlája, számlákat, számláról ≠ szám, számol, szemle
vevő = vevőt, vevők, vevőnek, vevővel, vevője ≠ vesz, vetés
szolgáltatás = szolgáltatások, szolgáltatást, szolgáltatásokat, szolgáltatásra ≠ szolgáltató, szolga
név = nevet, nevek, névvel, neve, nevében ≠ néz, nevel, nevetés
étterem = éttermek, éttermet, étteremben, éttermeket ≠ étel, tető
forgalom = forgalmat, forgalomban, forgalma ≠ forgat, forgács
bank = bankok, bankot, bankban, bankkal, banktól ≠ bankár, banán
törvény = törvények, törvényt, törvénynek, törvényben, törvényei ≠ törvényes, törvényszék, törvényhozó
személyes adat = személyes adatok, személyes adatokat, személyes adatainak ≠ személyes, adat, személyes adó`,
  tr: `
sözleşme = sözleşmeyi, sözleşmenin, sözleşmeler, sözleşmeleri, sözleşmesi, sözleşmede, sözleşmeye, sözleşmelerde, sözleşmesinin ≠ sözlük, sözcü, söz
fatura = faturayı, faturalar, faturanın, faturaları, faturada, faturası, faturasını ≠ fatih, faktör, faturalandırma
kitap = kitabı, kitabın, kitaplar, kitabında, kitaptan, kitabım ≠ kitabe, kitapçı, kitaplık
müşteri = müşteriyi, müşterinin, müşteriler, müşterilere, müşterisi, müşterilerimiz ≠ müşterek, müşavir
isim = ismi, isminin, isimler, isimleri ≠ isimsiz, isyan
hizmet = hizmeti, hizmetin, hizmetler, hizmetleri, hizmetlerin, hizmete, hizmetinden ≠ hizmetçi, himmet
renk = rengi, renkler, rengin, renge ≠ renkli, rende
ödeme = ödemeyi, ödemeler, ödemenin, ödemesi, ödemelerin ≠ ödenek, ödev, ödemesiz
kayıt = kaydı, kayıtlar, kaydın, kayda ≠ kayık, kaygı, kayıp
kişisel veri = kişisel veriler, kişisel verilerin, kişisel verileri ≠ kişisel, veri, kişisel verim`,
  ko: `
계약 = 계약을, 계약이, 계약의, 계약은, 계약에, 계약에서, 계약으로, 계약과, 계약들을, 계약에는, 계약입니다 ≠ 계약서, 계약자, 재계약, 계산, 계획
서비스 = 서비스를, 서비스는, 서비스와, 서비스에서 ≠ 서비, 서버, 서비스센터
개인 정보 = 개인 정보를, 개인정보, 개인정보의 ≠ 개인, 정보`,
};
