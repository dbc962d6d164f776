import type { SmallTalk } from '../word-groups.ts'

/** Turkish. */
export const turkish: SmallTalk = {
  talk:
    'selamun aleykum rahatsiz ricam minnettar sag bilgisi oneri onerisi oneriniz onerileriniz sorunum ' +
    'hizlica aklima takildi takilan sualim soracag- bilgiyi bilgilerinizi anladig- baktim yazdim olarak ' +
    'fikrim birisine merhaba- selam selamlar slm mrb gunaydin gunler aksamlar geceler calismalar gelsin ' +
    'tesekkur- tskler tsk sagol sagolun saol saolun eyvallah lutfen pls plz rica soru sorum sorumu ' +
    'sorular sorularim sorumun soruyu soruya soruma sorabil- sorayim sormak sormu- soracak- sorucam ' +
    'sordum sorsam soruyorum sorulduysa yardim- cevap- cevab- yanit- biri birisi birileri kimse bilen ' +
    'bilgi bilgim bilginiz bilginize bilgilerinize bilgilendir- bilmi- bilmek bilmem bilir biliyor- ' +
    'bilmeyi acil acilen simdiden saygi saygilar saygilarla saygilarim- sayin kusura bakma bakmayin ozur ' +
    'pardon dilerim affeder- soyle- anlat- acikla- ogrenmek ogrenebil- ogrenmem merak- acaba ariyorum ' +
    'aradim arastirdim bulamadim bulamiyorum goremedim yeniyim acemiyim arkadaslar arkadasim hocam beyler ' +
    'herkese herkes millet kardesim kanka knk abi abim kisa kisaca uzatma- basit basitce dille adim ' +
    'ornek- ayrinti- detayli sacma anlama- anlaya- anliyor- anladim kafam karisti cidden umarim ' +
    'iyisinizdir memnun sevinir- yaziniz yazin yazabil- yazarsaniz belirt- bildirin bildiriniz ' +
    'bildirmenizi bildirir- ihtiyacim ilgi- lol bekliyor- mumkunse paylasir bana tarafima tarafiniza ' +
    'arada fikri fikriniz valla tamam tamamdir peki açıklar açıklayabilir açıklayın anlamadım anlatabilir ' +
    'anlatın anlatır anlayamadım belirtir bildirir biliyor biliyormusunuz bilmiyorum cevaplasin merak ' +
    'merhaba merhabalar öğrenebilir saygılarımla sorabilir söyler söylesin söyleyebilir söyleyin teşekkür ' +
    'teşekkürler yazabilir soruyor',
  beside:
    'yazmiyor tek istiyorum istiyoruz iyi cok net kolay lazim hemen hizli cabuk olacakti etsem olun ' +
    'zamanda yazsin vermedi belki emin degilim oluyor ben beni benim bir bi biz bize sen sana siz size ' +
    'sizden sizin o bu su bunu bunun burada buraya var varsa vardi mi mu da de ki ile icin ya ve daha en ' +
    'pek hic her sey seyler bisey kere kez once son olarak ilk simdi bugun dun saat saattir saatlerdir ' +
    'artik hala gibi kadar nasil ne neden nerede kim diye eger zaman dogru yere yer yerde ederim ediyorum ' +
    'ettim ettigim eden edin edebilir ederseniz edersiniz olan olur olursa olurum olursaniz olursunuz ' +
    'olabilir olabilirsiniz etmek misiniz musunuz misin musun miyim muyum miyiz asagidaki konu konuda ama ' +
    'yeni forum foruma forumda uye oldum verin verir veren versin verirmisiniz verebilir verirseniz ' +
    'vermenizi alabilir almak cevaplasin baktim efendim degerli yetkili yetkililer ekibi destek turlu ' +
    'gerekiyor gerek isterim istedim istesem birsey kucuk hizmet isler islerden rahatsiz yaziyorum tekrar ' +
    'yazar baska sekilde anlasilir yeter',
  denials: 'yok degil hicbir',
  documents: 'dokumantasyon- dokumanlara dokumanlardan belgelere kaynak kaynagi kaynagini kaynaklar gore',
  asks: '',
  leads:
    'merhaba merhabalar selam selamlar slm mrb gunaydin gunler aksamlar hocam kanka abi lutfen acaba bana ' +
    'tarafima arada ama pardon peki pls',
  ends:
    'söyler söyleyin söyleyebilir söylesin bilen bilir biliyor bilmek bilmem ogrenmek öğrenebilir merak ' +
    'sorabilir sormak açıklar açıklayabilir açıklayın anlatır anlatabilir anlatın anlamadım anlayamadım ' +
    'anlamiyorum lutfen acaba belirtir bildirir bildirmenizi yazar yazabilir paylasir paylasabilir bana ' +
    'teşekkürler tsk tskler sagolun sagol pls plz bilmiyorum biliyormusunuz',
  closings: 'saygılarımla saygilar saygilarla',
  // The verb comes last: who is asked about stands before "about".
  requests: 'arkadasim kardesim abim evladim',
  names: 'hakkinda',
  labels: 'numara- no siparis- musteri fatura- talep sozlesme telefon-',
}
