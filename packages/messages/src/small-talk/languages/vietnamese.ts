import type { SmallTalk } from '../word-groups.ts'

/** Vietnamese. */
export const vietnamese: SmallTalk = {
  talk:
    'xin chào cảm cám thanks thks tks thank thanku hi hello helo hey alo hú hỏi xl sorry câu giúp giùm ' +
    'dùm lời gấp khẩn vui lòng pls plz please phiền kính mến trân trọng nói biết bít bik hiểu giải thích ' +
    'đáp giảng search newbie gọn ngắn dễ từng tiết dụ rõ thắc mắc mong đợi chờ hóng chúc ơi giáo rành mò ' +
    'nghĩ ngu ngốc ngớ ngẩn rối huhu hic hix hichic haha hihi trời tiện help btw urgent thưa lẹ vội mn ' +
    'mng chao giup hoi biet nữa mà ad admin thấy ơn rep',
  beside:
    'tôi tui tớ mình mik t m em e anh a chị c bác cháu con bạn b cô chú quý vị bên các mọi người những ai ' +
    'nao đó kia ấy với vs và hay hoặc nhưng thì có được đc dc đk đã đang sẽ rồi òi của ở từ đến theo ' +
    'trong một hai ba 1 2 vài ít lắm quá rất nhiều thật sự thực thêm thôi hơn ah nhen nghen hen dạ vâng ' +
    'ok oke okay luôn cũng nên ra đây hôm nay đêm tối trưa chiều sáng buổi đầu sau dưới còn nếu lại cho ' +
    'cả nhà hết phép việc điều vấn đề chuyện chỗ đúng sai thể xem mới vào tham gia thành viên sớm ngay ' +
    'tiếng tới quan tâm lên đọc nốt cái zới dzới vầy j nhìu trước mấy thứ già dốt qua muon muốn cần nhận ' +
    'thông phản hồi âm tư hướng gửi trả tra tự lần đỡ bước chi ví kèm việt bằng hơi khổ cứu hộ hoài mãi ' +
    'khó bận trơn bó tay à ê nè toi minh voi làm me ghi cụ chỉ tất lỗi nhỏ cuối mờ mù dẫn diễn ý kiến nhờ ' +
    'nhanh',
  denials: 'không chưa chẳng chả k ko kh hông hổng hok hem đừng khỏi ch gì nào',
  documents: 'tài liệu nguồn trích',
  asks: 'tại vì',
  leads: 'biết bít thích mắc ơi alo hi hello shop ad ạ xíu chút tí tẹo nữa này là rằng mà ủa mn mng btw nha nhé',
  ends: 'ạ nhỉ nhé nha vậy zậy ad thanks thks tks thank pls plz giùm dùm huhu',
  closings: 'trọng',
  requests: 'về nói tìm thích hiểu',
  names: 'giáo trời mẹ bố ông bà đàn',
  labels: 'số mã đơn hàng khách hóa phiếu hợp đồng điện thoại đt sđt',
  exact: true,
}
