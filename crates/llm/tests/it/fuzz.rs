//! Whatever a server sends: no panic, one end, and the same result for every cut.

use crate::support::{answer, decode, fixtures, provider};
use bytes::Bytes;
use llm::canonical::canonical;
use llm::{Chunk, EndKind, Quirks};
use proptest::prelude::*;

fn end() -> impl Strategy<Value = EndKind> {
    prop_oneof![
        Just(EndKind::Eof),
        Just(EndKind::Reset("reset".to_owned())),
        Just(EndKind::Idle),
        Just(EndKind::TotalTimeout),
        Just(EndKind::Cancelled),
    ]
}

/// Pieces that make streams which are nearly right.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let known: Vec<Vec<u8>> = [
        "data: ",
        "\n",
        "\n\n",
        "\r",
        "[DONE]",
        "{\"choices\":[{\"delta\":{\"content\":\"x\"}}]}",
        "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"t\",\"arguments\":\"{\"}}]}}]}",
        "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"b\",\"function\":{\"arguments\":\"}\"}}]}}]}",
        "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":\"0\",\"function\":{\"name\":\"u\",\"arguments\":{}}}]}}]}",
        "{\"choices\":[{\"delta\":{\"function_call\":{\"name\":\"f\",\"arguments\":\"{}\"}},\"finish_reason\":\"stop\"}]}",
        "{\"choices\":[{\"delta\":null,\"finish_reason\":\"length\"}]}",
        "{\"choices\":[{\"message\":{\"content\":[{\"text\":\"y\"},3]}}],\"usage\":{\"prompt_tokens\":-1}}",
        "{\"error\":\"e\"}",
        "[{\"error\":{\"code\":429}}]",
        "{\"choices\":[null,{\"index\":1},[]]}",
        "error: {}",
        "\u{FEFF}",
        "<think>",
        "</think>",
    ]
    .into_iter()
    .map(|text| text.as_bytes().to_vec())
    .collect();
    prop_oneof![
        8 => proptest::sample::select(known),
        1 => proptest::collection::vec(any::<u8>(), 0..20),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_bytes_end_once(
        pieces in proptest::collection::vec(piece(), 0..30),
        step in 1usize..40,
        end in end(),
        status in prop_oneof![4 => Just(200u16), 1 => 100u16..600],
        kind in prop_oneof![Just("text/event-stream"), Just("application/json"), Just("text/html"), Just("")],
        think_tags in any::<bool>(),
    ) {
        let body: Vec<u8> = pieces.concat();
        let provider = provider(Quirks { think_tags, ..Quirks::default() });
        let headers = vec![("content-type".to_owned(), kind.to_owned())];
        let chunks = |step: usize| {
            let bytes = body.chunks(step).map(|chunk| Chunk::Bytes(Bytes::copy_from_slice(chunk)));
            let head = Chunk::Head { status, headers: headers.clone() };
            [head].into_iter().chain(bytes).chain([Chunk::End(end.clone())]).collect::<Vec<_>>()
        };
        let cut = canonical(&decode(&provider, chunks(step)));
        let whole = canonical(&decode(&provider, chunks(body.len().max(1))));
        prop_assert_eq!(cut, whole, "cuts change nothing");
    }

    #[test]
    fn damaged_transcripts_end_once(
        case in 1usize..=84,
        flips in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        end in end(),
    ) {
        let prefix = format!("oai-{case:03}-");
        let mut names = std::fs::read_dir(fixtures("sse")).unwrap().map(|entry| entry.unwrap().path());
        let path = names.find(|path| path.file_name().unwrap().to_str().unwrap().starts_with(&prefix)).unwrap();
        let mut body = std::fs::read(path).unwrap();
        for (at, byte) in flips {
            if !body.is_empty() {
                let at = at.index(body.len());
                body[at] = byte;
            }
        }
        decode(&provider(Quirks::default()), answer("text/event-stream", &body, &[], end));
    }
}
