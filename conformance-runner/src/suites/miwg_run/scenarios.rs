//! What people and workers do with each model, and where that ends.

/// One way through a model.
pub(super) struct Scenario {
    pub(super) files: &'static [&'static str],
    pub(super) name: &'static str,
    pub(super) steps: &'static [&'static str],
    /// End events, in the order in which they are reached.
    pub(super) ends: &'static [&'static str],
}

const fn scenario(
    files: &'static [&'static str],
    name: &'static str,
    steps: &'static [&'static str],
    ends: &'static [&'static str],
) -> Scenario {
    Scenario { files, name, steps, ends }
}

const ONBOARDING: &[&str] = &["C.9.0", "C.9.1", "C.9.2"];
const YELLOW: &str = r#"do BusinessRuleTask_CheckApplicationAutomatically {"result": {"riskLevel": ["yellow"], "risk": ["age"]}}"#;
const APPLY: &str = r#"start customer_onboarding_en {"applicant": {"name": "Ada", "age": 36, "email": "a@b"}, "approved": true, "fraudSuspectedId": "f"}"#;
const APPLY_IN_VAIN: &str = r#"start customer_onboarding_en {"applicant": {"name": "Ada", "age": 36, "email": "a@b"}, "approved": false, "fraudSuspectedId": "f"}"#;
const VACATION: &str =
    r#"start VacationRequestProcess {"From": "2030-01-01", "To": "2030-01-09", "Employee Id": "7"}"#;
const FETCHED: &str =
    r#"do _2b960d84-feb1-46a9-a1a1-c300dd996b99 {"body": {"value": [{"name": "Ada", "email": "a@b"}]}}"#;

pub(super) const SCENARIOS: &[Scenario] = &[
    scenario(
        &["C.1.0"],
        "an invoice is approved",
        &[
            "message invoice-received-C.1.0 -",
            r#"do assignApprover {"approver": "ann"}"#,
            r#"do approveInvoice {"approved": true}"#,
            "do prepareBankTransfer",
            "do archiveInvoice",
        ],
        &["invoiceProcessed"],
    ),
    scenario(
        &["C.1.0"],
        "an invoice is reviewed twice and not processed",
        &[
            "message invoice-received-C.1.0 -",
            r#"do assignApprover {"approver": "ann"}"#,
            r#"do approveInvoice {"approved": false}"#,
            r#"do reviewInvoice {"clarified": "yes"}"#,
            r#"do approveInvoice {"approved": false}"#,
            r#"do reviewInvoice {"clarified": "no"}"#,
        ],
        &["invoiceNotProcessed"],
    ),
    scenario(
        &["C.1.1"],
        "an invoice is approved",
        &[
            "start handle-invoice",
            r#"do assignApprover {"approver": "ann"}"#,
            r#"do approveInvoice {"approved": true}"#,
            "do prepareBankTransfer",
            "do archiveInvoice",
        ],
        &["invoiceProcessed"],
    ),
    scenario(
        &["C.1.1"],
        "an invoice is not processed",
        &[
            "start handle-invoice",
            r#"do assignApprover {"approver": "ann"}"#,
            r#"do approveInvoice {"approved": false}"#,
            r#"do reviewInvoice {"clarified": "no"}"#,
        ],
        &["invoiceNotProcessed"],
    ),
    // The first task needs two tokens and gets one: a person lets it begin. It gives two.
    scenario(
        &["C.3.0"],
        "a fridge is replaced",
        &[
            "message Service~Level -",
            "resolve",
            "do _c73a5f4a-72f1-4e11-bb40-2f98da75fb9a",
            "do _a92069f7-377b-4dbd-a1fd-1da071aabf6d",
            "do _a92069f7-377b-4dbd-a1fd-1da071aabf6d",
        ],
        &["_177bd313-c6c9-4df5-8f82-313beb30d2eb", "_177bd313-c6c9-4df5-8f82-313beb30d2eb"],
    ),
    scenario(
        &["C.8.1"],
        "a vacation is approved automatically",
        &[
            VACATION,
            FETCHED,
            r#"do _1a818a94-ba6f-413b-a7e8-6f8fd2a11e32 {"Vacation Approval Status": {"Approval": "Approved", "Reason": ""}}"#,
            "do _93ec9873-edf1-4549-b052-961994ec8234",
            "do _4b72053b-8ebb-4ae6-99c6-7c93cf1c1d1b",
        ],
        &["_6677ef80-82df-4951-919d-1f36123b681b"],
    ),
    scenario(
        &["C.8.1"],
        "a vacation is refused automatically",
        &[
            VACATION,
            FETCHED,
            r#"do _1a818a94-ba6f-413b-a7e8-6f8fd2a11e32 {"Vacation Approval Status": {"Approval": "Refused", "Reason": "none left"}}"#,
            "do _9ed61a6a-7cc1-4ed1-86d8-03482b0983c9",
        ],
        &["_1688f604-5edf-4187-ad9e-18f74bfede53"],
    ),
    scenario(
        &["C.8.1"],
        "a manager approves a vacation",
        &[
            VACATION,
            FETCHED,
            r#"do _1a818a94-ba6f-413b-a7e8-6f8fd2a11e32 {"Vacation Approval Status": {"Approval": "Manual Validation Required", "Reason": "long"}}"#,
            r#"do _79523269-7444-4b01-90e9-e23957a9d020 {"Vacation Approval": "Approved"}"#,
            "do _a97c1a48-faba-447b-bfa6-7aa81a6fe0a0",
            "do _5e16a4e0-0f23-482a-be47-d3edbc5741ba",
        ],
        &["_1cd5fe29-b3ec-4f21-a1aa-57773f0729ca"],
    ),
    scenario(
        &["C.8.1"],
        "an employee is not found",
        &[VACATION, "error _2b960d84-feb1-46a9-a1a1-c300dd996b99 404"],
        &["_b4d636eb-b501-4462-93c8-04652db10307"],
    ),
    scenario(
        ONBOARDING,
        "an application without risk is issued",
        &[
            APPLY,
            "do ServiceTask_GetCreditScore",
            r#"do BusinessRuleTask_CheckApplicationAutomatically {"result": {"riskLevel": ["green"], "risk": []}}"#,
            "do ServiceTask_DeliverPolicy",
            "do SendTask_SendPolicy",
        ],
        &["EndEvent_ApplicationIssued"],
    ),
    scenario(
        ONBOARDING,
        "a risky application is rejected",
        &[
            APPLY,
            "do ServiceTask_GetCreditScore",
            r#"do BusinessRuleTask_CheckApplicationAutomatically {"result": {"riskLevel": ["green", "red"], "risk": ["income"]}}"#,
            "do ServiceTask_RejectPolicy",
            "do SendTask_SendRejection",
        ],
        &["EndEvent_ApplicationRejected"],
    ),
    scenario(
        ONBOARDING,
        "a person decides in time",
        &[
            APPLY_IN_VAIN,
            "do ServiceTask_GetCreditScore",
            YELLOW,
            "days 5",
            "do SendTask_NotifyCustomerDelay",
            "do UserTask_AccelerateDecision",
            "do UserTask_DecideOnApplication",
            "do ServiceTask_RejectPolicy",
            "do SendTask_SendRejection",
        ],
        &["EndEvent_ApplicationRejected"],
    ),
    scenario(
        ONBOARDING,
        "documents are requested of a customer who is slow",
        &[
            APPLY,
            "do ServiceTask_GetCreditScore",
            YELLOW,
            r#"message Message_DocumentRequested 2026-01-01T00:00:00Z {"documents": ["id", "payslip"]}"#,
            "do SendTask_RequestDocument",
            "do SendTask_RequestDocument",
            "days 1",
            "do SendTask_SendReminderEmail",
            "do SendTask_SendReminderEmail",
            "message MESSAGE_documentReceived 2026-01-01T00:00:00Z",
            "message MESSAGE_documentReceived 2026-01-01T00:00:00Z",
            "do UserTask_DecideOnApplication",
            "do ServiceTask_DeliverPolicy",
            "do SendTask_SendPolicy",
        ],
        &["EndEvent_ApplicationIssued"],
    ),
    scenario(
        ONBOARDING,
        "fraud is found",
        &[
            APPLY,
            "do ServiceTask_GetCreditScore",
            YELLOW,
            "message Message_FraudSuspected f",
            r#"do UserTask_CheckForFraud {"fraud": true}"#,
            "do SendTask_ReportFraud",
        ],
        &["TerminateEvent_ApplicationCanceledFraud"],
    ),
    scenario(
        ONBOARDING,
        "nobody decides in time",
        &[APPLY, "do ServiceTask_GetCreditScore", YELLOW, "days 8", "do SendTask_ReportFraud"],
        &["TerminateEvent_ApplicationCanceledFraud"],
    ),
    scenario(
        ONBOARDING,
        "a worker runs out of time",
        &[
            APPLY,
            "error ServiceTask_GetCreditScore 00",
            "do UserTask_HandleTimeout",
            "do EndMessageEvent_Timeout",
        ],
        &["EndMessageEvent_Timeout"],
    ),
    scenario(
        ONBOARDING,
        "the customer changes her mind",
        &[
            APPLY,
            "do ServiceTask_GetCreditScore",
            YELLOW,
            "message Message_CancellationRequested 1",
            "do ServiceTask_CancelApplication",
            "do EndMessageEvent_InformCustomer",
            "do EndMessageEvent_InformOperations",
        ],
        &["EndMessageEvent_InformCustomer", "EndMessageEvent_InformOperations"],
    ),
];
