//! Why a command is not simply allowed: a closed list of codes, each with a sentence for the person.

use std::fmt;

macro_rules! codes {
    ($($variant:ident $code:literal $text:literal)*) => {
        /// Why a command, or a part of one, is not simply allowed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $text] $variant,)*
        }

        impl Code {
            /// The name on the wire.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $code,)*
                }
            }

            /// What it means, in a sentence.
            #[must_use]
            pub fn text(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }
    };
}

codes! {
    TooLong "too_long" "The command is too long to be checked."
    Empty "empty" "The command is empty."
    ControlCharacter "control_char" "The command holds a control character."
    UnicodeSpace "unicode_space" "The command holds a blank that the shell does not take for one."
    InvisibleCharacter "invisible_char" "The command holds characters that cannot be seen."
    Syntax "syntax" "The command cannot be read as shell code."
    TooComplex "too_complex" "The command is nested too deeply or has too many parts to be checked."
    LineContinuation "line_continuation" "A line break inside a word may join or split it."
    HereDocument "heredoc" "Where the text of a here-document ends is not certain."
    FunctionDefinition "function_definition" "A function can take the place of any command."
    Coprocess "coproc" "A coprocess runs beside the command."
    Select "select" "An interactive menu cannot be checked."
    ArithmeticNames "arith_with_names" "Arithmetic over a name can run code."
    ArithmeticCommand "arith_command" "An arithmetic command can run code."
    ArithmeticFor "arith_for" "An arithmetic loop can run code."
    ParameterTransform "param_transform" "This kind of expansion can run code."
    IndirectExpansion "indirect_expansion" "An indirect expansion can run code."
    Subscript "subscript" "A subscript can run code."
    SubstringArithmetic "substring_arith" "A computed position in a text can run code."
    TranslatedString "translated_string" "A translated text may be any text."
    BackquoteEscape "backquote_escape" "Escapes inside backquotes are read differently by the shell."
    DynamicCommand "dynamic_command" "Which program runs is known only when it runs."
    NonAsciiCommand "nonascii_command" "The name of the program holds letters that look like others."
    ReservedWord "reserved_word" "A word of the shell's grammar stands where a program is expected."
    ShellState "shell_state" "This changes what later commands mean, or runs code later."
    DynamicOption "dynamic_option" "An argument known only when it runs may be an option."
    DangerousEnvironment "env" "A variable is set that can make programs run other code."
    EnvironmentOfEnv "env_dangerous" "The program env sets a variable that can make programs run other code."
    UnknownEnvironment "env_unknown" "A variable is set whose effect is not known."
    AmbientEnvironment "ambient_env" "A variable is set that changes how later commands run."
    EnvSplitString "env_split_string" "The program env would read a text as a command."
    OpaqueWrapper "opaque_wrapper" "This program runs others in a way that cannot be checked."
    WrapperOption "wrapper_option" "An option of the program that runs this one is not known."
    ShellOption "shell_option" "An option of the shell is not known."
    ShellStartupFile "shell_rcfile" "The shell would read a startup file."
    ShellTextDynamic "shell_c_dynamic" "The text for the shell is known only when it runs."
    EvalDynamic "eval_dynamic" "The text to evaluate is known only when it runs."
    ScriptFile "script_file" "A script runs whose content was not checked."
    SourceFile "source" "A file is read as shell code."
    ScriptOnInput "stdin_script" "A program reads code from its input."
    PipeToInterpreter "pipe_to_shell" "The output of a command is run as code."
    RemoteCode "remote_code" "Code from the network is run."
    Interpreter "interpreter" "A program of its own language runs."
    Privileged "privileged" "The command runs with other rights."
    Opaque "opaque" "The program gets arguments that are known only when it runs."
    NetworkDevice "network_device" "The shell opens a network connection."
    RawDevice "raw_device" "A device is written directly."
    WriteRedirect "write_redirect" "The output is written to a file."
    UnknownTarget "unknown_target" "Which file is written is known only when it runs."
    RipgrepExec "rg_exec" "This option of rg runs a program."
    RipgrepArchive "rg_zip" "This option of rg runs other programs."
    FdExec "fd_exec" "This option of fd runs a program."
    FindDynamic "find_dynamic" "Where find starts, or what it does, is known only when it runs."
    SortCompress "sort_compress" "This option of sort runs a program."
    TarExec "tar_exec" "This option of tar runs a program."
    AwkSideEffect "awk_side_effect" "The awk program may write files or run commands."
    AwkOption "awk_option" "This option of awk cannot be checked."
    AwkDynamic "awk_dynamic" "The awk program is known only when it runs."
    SedScript "sed_script" "The sed script may read files or run commands."
    SedScriptFile "sed_script_file" "The sed script stands in a file."
    FileCompile "file_compile" "This option of file writes a file."
    ManOption "man_option" "This option of man can run a program."
    PrintfVariable "printf_v" "Assigning by printf can run code."
    TestVariable "test_v" "Testing whether a variable is set can run code."
    TestDynamic "test_dynamic" "What is tested is known only when it runs, and could run code."
    TestArithmetic "dbl_bracket_arith" "Comparing this as a number can run code."
    ReadName "read_name" "Reading into this name can run code."
    DeclareNonLiteral "declare_nonliteral" "Declaring this name can run code."
    UnsetNonLiteral "unset_nonliteral" "Unsetting this name can run code."
    RsyncShell "rsync_rsh" "This option of rsync runs a program."
    GitGlobalOption "git_global_option" "This option of git can run programs or leave the project."
    GitHelperOption "git_helper_option" "This option of git runs a program."
    GpgFormat "gpg_format" "This format makes git run a program to check signatures."
    GitConfiguration "git_config" "This repository's settings make git run other programs."
    GitOutside "git_outside" "git runs outside the trusted folders."
    Untrusted "untrusted" "The folder is not trusted."
    UnknownProgram "unknown_program" "What this program does is not known."
    Network "network" "This reaches the network."
    Deletes "deletes" "This deletes or overwrites for good."
    Interactive "interactive" "This program waits for a person."
}

/// A code, and what it is about where that helps.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reason {
    /// What is the matter.
    pub code: Code,
    /// The variable, option or file that it is about.
    pub detail: Option<String>,
}

impl Reason {
    /// A reason that names what it is about.
    #[must_use]
    pub fn about(code: Code, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: Some(detail.into()),
        }
    }
}

impl From<Code> for Reason {
    fn from(code: Code) -> Self {
        Self { code, detail: None }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.detail {
            Some(detail) => write!(f, "{}:{detail}", self.code.name()),
            None => f.write_str(self.code.name()),
        }
    }
}
