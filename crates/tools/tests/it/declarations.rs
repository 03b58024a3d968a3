//! What every tool declares about itself.

use crate::kit::Kit;
use tool_api::PathFields;

/// Property names that sound like paths and are none, with the reason.
const NOT_PATHS: [(&str, &str, &str); 0] = [];

#[tokio::test]
async fn every_schema_compiles_and_is_closed() {
    let kit = Kit::new();
    for tool in kit.registry.iter() {
        tool.schema()
            .compile()
            .unwrap_or_else(|error| panic!("{}: {error}", tool.name()));
        let json = tool.schema().json();
        assert_eq!(json["type"], "object", "{}", tool.name());
        assert_eq!(json["additionalProperties"], false, "{}", tool.name());
        assert!(
            json.get("oneOf").is_none() && json.get("anyOf").is_none(),
            "{}: providers refuse it",
            tool.name()
        );
    }
}

#[tokio::test]
async fn a_property_that_sounds_like_a_path_is_declared_as_one() {
    let kit = Kit::new();
    let sounds_like_a_path = |name: &str| {
        name.split('_').any(|word| {
            [
                "path",
                "paths",
                "file",
                "files",
                "dir",
                "directory",
                "folder",
                "root",
                "cwd",
            ]
            .contains(&word)
        })
    };
    for tool in kit.registry.iter() {
        let declared: Vec<&str> = match tool.path_fields() {
            PathFields::None(_) => Vec::new(),
            PathFields::Fields(fields) => fields.iter().map(|field| field.property).collect(),
        };
        let properties = tool.schema().json()["properties"].as_object().unwrap();
        for name in properties.keys().filter(|name| sounds_like_a_path(name)) {
            let excused = NOT_PATHS
                .iter()
                .any(|(t, p, _)| (*t, *p) == (tool.name(), name.as_str()));
            assert!(
                excused || declared.contains(&name.as_str()),
                "{}.{name} is not declared",
                tool.name()
            );
        }
        for name in declared {
            assert!(
                properties.contains_key(name),
                "{}.{name} does not exist",
                tool.name()
            );
        }
    }
}

#[tokio::test]
async fn the_model_reads_the_same_declarations_every_time() {
    let all = |kit: &Kit| -> Vec<String> {
        kit.registry
            .iter()
            .map(|t| format!("{} {} {}", t.name(), t.description(), t.schema().json()))
            .collect()
    };
    assert_eq!(all(&Kit::new()), all(&Kit::new()));
}
